import { createColors } from 'picocolors';
import type { EventName, HandlerContexts } from '../events/index.js';
import { type EventRecord, recordOf } from './event-record.js';
import { printable } from './printable.js';

/** What the program itself tells of. */
type ProgramStatus = 'listening' | 'stopping' | 'stopped';

/** Tells people, or programs, what happens. */
export interface Reporter {
  /** One line for an event. */
  event(context: HandlerContexts[EventName]): void;
  /** Something about the program: as text for people, as data for programs. */
  status(status: ProgramStatus, data: Readonly<Record<string, unknown>>, text: string): void;
}

/** Settings of {@link createReporter}. */
export interface ReporterOptions {
  /** One JSON object a line, for programs; else one line of text, for people. */
  readonly json: boolean;
  /** Whether text has colours. */
  readonly colours: boolean;
  /** Whether events are told with what people wrote. */
  readonly showText: boolean;
  /** Takes what is to be written, its line's end included. */
  readonly write: (line: string) => unknown;
}

/** An id longer than this is cut: a sender must not be able to fill the screen. */
const LONGEST_ID = 80;

/** Makes a {@link Reporter}. */
export function createReporter({ json, colours, showText, write }: ReporterOptions): Reporter {
  const { dim, cyan, bold } = createColors(colours);

  const lineOf = ({ time, event, conversationId, who, length, detail, text }: EventRecord): string => {
    const about = [
      conversationId && short(conversationId),
      who && short(who),
      length !== undefined && `${length} characters`,
      detail && short(detail),
    ].filter((part) => typeof part === 'string');
    const said = text === undefined ? '' : `  ${bold(`"${printable(text)}"`)}`;
    const clock = new Date(time).toTimeString().slice(0, 8);
    return `${dim(clock)}  ${cyan(event.padEnd(17))}  ${about.join('  ')}${said}`;
  };

  return {
    event(context) {
      const record = recordOf(context, showText);
      write(`${json ? JSON.stringify(record) : lineOf(record)}\n`);
    },
    status(status, data, text) {
      write(`${json ? JSON.stringify({ time: new Date().toISOString(), status, ...data }) : text}\n`);
    },
  };
}

function short(id: string): string {
  return printable(id.length > LONGEST_ID ? `${id.slice(0, LONGEST_ID)}…` : id);
}
