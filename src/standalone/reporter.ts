import { createColors } from 'picocolors';
import { botField, type EventName, type HandlerContexts } from '../events/index.js';
import { printable } from '../internal/readable-log.js';

/** A change of the program's own state. */
type ProgramStatus = 'listening' | 'stopping' | 'stopped';

/** Writes events and changes of state to standard output, for people or for programs. */
export interface Reporter {
  /** Writes one line for an event. */
  event(context: HandlerContexts[EventName]): void;
  /** Writes a change of state: `data` for programs, `text` for people. */
  status(status: ProgramStatus, data: Readonly<Record<string, unknown>>, text: string): void;
}

export interface ReporterOptions {
  /** One JSON object per line for programs, instead of text for people. */
  readonly json: boolean;
  readonly colours: boolean;
  /** Whether lines show what users and agents write. */
  readonly showText: boolean;
  /** Takes each line with its line end. */
  readonly write: (line: string) => unknown;
}

/** Longer ids are cut, so that a sender cannot fill the screen. */
const MAX_ID_LENGTH = 80;

export function createReporter({ json, colours, showText, write }: ReporterOptions): Reporter {
  const { dim, cyan, bold } = createColors(colours);

  const lineOf = ({ time, event, conversationId, who, length, detail, text }: EventRecord): string => {
    const about = [
      conversationId && shortId(conversationId),
      who && shortId(who),
      length !== undefined && `${length} ${length === 1 ? 'character' : 'characters'}`,
      detail && shortId(detail),
    ].filter((part) => typeof part === 'string');
    const quoted = text === undefined ? '' : `  ${bold(`"${printable(text)}"`)}`;
    const clock = new Date(time).toTimeString().slice(0, 8);
    return `${dim(clock)}  ${cyan(event.padEnd(17))}  ${about.join('  ')}${quoted}`;
  };

  return {
    event(context) {
      const record = recordOf(context, showText);
      write(`${json ? jsonLine(record.event, record.time, record) : lineOf(record)}\n`);
    },
    status(status, data, text) {
      write(`${json ? jsonLine(status, new Date().toISOString(), { status, ...data }) : text}\n`);
    },
  };
}

/** The shape of the log's lines: level, time, the fields, and `msg` at the end. */
const jsonLine = (msg: string, time: string, fields: object): string =>
  JSON.stringify({ level: 'info', time, ...fields, msg });

function shortId(id: string): string {
  return printable(id.length > MAX_ID_LENGTH ? `${id.slice(0, MAX_ID_LENGTH)}…` : id);
}

/** The JSON line of an event. */
interface EventRecord {
  readonly time: string;
  readonly event: EventName;
  readonly requestId: string;
  /** The bot, where there are several. */
  readonly bot?: string;
  readonly conversationId?: string;
  /** The id of the user. */
  readonly who?: string;
  /** The length of the text. */
  readonly length?: number;
  readonly detail?: string;
  /** The text itself; only with `showText`. */
  readonly text?: string;
}

type EventDetails = Pick<EventRecord, 'who' | 'length' | 'detail' | 'text'>;

function recordOf(context: HandlerContexts[EventName], showText: boolean): EventRecord {
  const { text, ...details } = detailsOf(context);
  return {
    time: context.receivedAt.toISOString(),
    event: context.event,
    requestId: context.requestId,
    ...(context.bot !== null && botField(context.bot)),
    ...('conversationId' in context && { conversationId: context.conversationId }),
    ...details,
    ...(showText && text !== undefined && { text }),
  };
}

function detailsOf(context: HandlerContexts[EventName]): EventDetails {
  if (context.event === 'message') {
    const { user_id, anonymous_id } = context.payload;
    return { who: user_id ?? anonymous_id ?? 'unknown user', ...textDetails(context.text) };
  }
  if (context.event === 'handoff.requested') {
    const { transcript, user } = context;
    return {
      who: user.key,
      detail: `${transcript.length} earlier ${transcript.length === 1 ? 'message' : 'messages'}`,
      text: transcript.map(({ from, text }) => `${from}: ${text}`).join('\n'),
    };
  }
  if (context.event === 'handoff.message') return { who: 'the user', ...textDetails(context.payload.body) };
  if (context.event === 'handoff.closed') return { detail: context.payload.type ?? 'no reason given' };
  const { endpoint } = context.payload;
  return { detail: `test of ${endpoint === 'root' ? 'the handoff URL' : endpoint}` };
}

const textDetails = (text: string): EventDetails => ({ length: text.length, text });
