import { readFileSync } from 'node:fs';
import { createColors } from 'picocolors';
import { type Logger, pino } from 'pino';
import { createLog } from '../internal/create-log.js';
import { createReadableLog, printable } from '../internal/readable-log.js';
import type { RecordedExchange, TrafficLog } from '../simulator/index.js';
import { onStopSignal } from '../standalone/index.js';
import { type Output, print } from './output.js';

// Shared by `demo` and `simulate`: both show every request between the simulated platform and a receiver.

/** Creates the log of a command on standard error: warnings and errors, as JSON or as text. */
export function createCommandLog({ json, colours }: Output): Logger {
  const destination = json
    ? pino.destination({ dest: 2, sync: true })
    : createReadableLog((line) => process.stderr.write(line), colours);
  return createLog({ level: 'warn', destination, plain: json });
}

/** `openapi.json` in the root of the package; the path is the same from `src/cli` and `dist/cli`. */
const OPENAPI_FILE = new URL('../../openapi.json', import.meta.url);

/** Reads the API description, which the simulator serves. */
export function readOpenapi(): object {
  return JSON.parse(readFileSync(OPENAPI_FILE, 'utf8'));
}

export interface WatchedTraffic {
  readonly traffic: TrafficLog;
  /** The first output: `data` for programs, `text` for people. */
  readonly opening: { readonly data: object; readonly text: string };
  /** Called at the first signal to stop. */
  readonly close: () => Promise<void>;
}

/** Prints the opening and then every exchange until the first signal to stop; the second signal stops at once. */
export async function watchTraffic(
  { traffic, opening, close }: WatchedTraffic,
  output: Output,
): Promise<void> {
  const text = createExchangeText(output.colours);
  const stopSignal = new Promise<NodeJS.Signals>((resolve) => {
    onStopSignal(process, { first: resolve, again: () => process.exit(1) });
  });
  followTraffic(traffic, (exchange) => {
    const record = recordOf(exchange);
    print(output, record, text.full(record));
  });
  print(output, { status: 'listening', ...opening.data }, opening.text);
  const signal = await stopSignal;
  await close();
  print(output, { status: 'stopped', signal }, `${signal}: stopped.`);
}

/** A subscription of {@link followTraffic}. */
export interface TrafficFollower {
  /** Resolves when every request so far has its answer. */
  settled(): Promise<void>;
}

const isComplete = ({ answer, error }: RecordedExchange): boolean => answer !== null || error !== null;

/**
 * Calls `onExchange` for each complete exchange, in the order in which the requests began: a reply that is sent while
 * a message is handled comes after that message.
 */
export function followTraffic(
  traffic: TrafficLog,
  onExchange: (exchange: RecordedExchange) => void,
): TrafficFollower {
  const waiting = new Map<number, RecordedExchange>();
  const onSettled = new Set<() => void>();
  let lastReported = 0;

  const reportComplete = (): void => {
    for (const [id, exchange] of waiting) {
      if (!isComplete(exchange)) return;
      waiting.delete(id);
      lastReported = id;
      onExchange(exchange);
    }
    for (const resolve of onSettled) resolve();
    onSettled.clear();
  };

  traffic.onChange((exchange) => {
    if (exchange.id <= lastReported) return;
    waiting.set(exchange.id, exchange);
    reportComplete();
  });

  return {
    settled: () =>
      waiting.size === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            onSettled.add(resolve);
          }),
  };
}

/** A request and its answer as JSON output. The simulator has masked secrets before. */
export interface ExchangeRecord {
  readonly time: string;
  /** `sent` by the platform to the receiver, or `received` by the platform. */
  readonly direction: RecordedExchange['direction'];
  readonly event: string;
  /** The text of the message, or another detail. */
  readonly about: string;
  readonly request: { readonly method: string; readonly url: string; readonly body: unknown };
  readonly answer: { readonly status: number; readonly body: unknown; readonly latencyMs: number } | null;
  readonly error: string | null;
  readonly faults: readonly string[];
}

/** Converts an exchange of the simulator to a record. */
export function recordOf(exchange: RecordedExchange): ExchangeRecord {
  const { at, direction, what, method, url, answer, error, faults } = exchange;
  const body = parseBody(exchange.body ?? '');
  return {
    time: new Date(at).toISOString(),
    direction,
    event: what === 'close' && direction === 'received' ? 'agent close' : what,
    about: aboutOf(exchange, isFields(body) ? body : {}),
    request: { method, url, body },
    answer: answer && { status: answer.status, body: parseBody(answer.body), latencyMs: answer.latencyMs },
    error,
    faults,
  };
}

type Fields = Readonly<Record<string, unknown>>;

function aboutOf({ what, direction }: RecordedExchange, body: Fields): string {
  if (what === 'message') return messageText(body);
  if (what === 'chat' || what === 'reply') return stringOf(body.body);
  if (what === 'establish') return earlierMessages(Array.isArray(body.body) ? body.body.length : 0);
  if (what === 'close' && direction === 'sent') return stringOf(body.type);
  return '';
}

const earlierMessages = (count: number): string => `${count} earlier ${count === 1 ? 'message' : 'messages'}`;

function messageText({ output }: Fields): string {
  const items: unknown[] = Array.isArray(output) ? output : [];
  return items
    .map((item) => (isFields(item) && isFields(item.content) ? stringOf(item.content.text) : ''))
    .join('');
}

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
const stringOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The simulator cuts long bodies, which are no JSON then and stay text. */
function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const MAX_BODY_LENGTH = 84;
const MAX_ABOUT_LENGTH = 160;

/** Part of a URL that the simulator has masked. */
const MASKED_SEGMENT = /[^/?\s]*\*{4}/g;

/** Formats exchanges for people. */
export interface ExchangeText {
  /** One line with the event, and below it the request and the answer. */
  full(record: ExchangeRecord): string;
  /** The request and its answer in one line. */
  short(record: ExchangeRecord): string;
}

export function createExchangeText(colours: boolean): ExchangeText {
  const { bold, cyan, dim, green, red, yellow } = createColors(colours);

  const answerOf = ({ answer, error }: ExchangeRecord): string => {
    if (!answer) return red(`no answer: ${printable(error ?? 'it stopped before')}`);
    const status = (answer.status === 200 ? green : red)(String(answer.status));
    return `${status}  ${cut(answer.body, MAX_BODY_LENGTH)}  ${dim(`${answer.latencyMs} ms`)}`;
  };

  return {
    full(record) {
      const { time, direction, event, about, request, faults } = record;
      const faultText = faults.length > 0 ? `  ${yellow(`fault: ${faults.join(', ')}`)}` : '';
      const aboutText = about === '' ? '' : `  ${bold(cut(about, MAX_ABOUT_LENGTH))}`;
      const clock = new Date(time).toTimeString().slice(0, 8);
      return [
        `${dim(clock)}  ${arrowOf(direction)} ${cyan(event.padEnd(11))}${aboutText}${faultText}`,
        `            ${requestOf(record)}  ${dim(cut(request.body, MAX_BODY_LENGTH))}`,
        `            ${answerOf(record)}`,
      ].join('\n');
    },
    short: (record) => `${arrowOf(record.direction)} ${requestOf(record).padEnd(44)}  ${answerOf(record)}`,
  };
}

const requestOf = ({ request }: ExchangeRecord): string => `${request.method} ${pathOf(request.url)}`;
const arrowOf = (direction: ExchangeRecord['direction']): string => (direction === 'sent' ? '→' : '←');

function pathOf(url: string): string {
  return printable(url.replace(/^https?:\/\/[^/]+/, '').replace(MASKED_SEGMENT, '…') || '/');
}

function cut(value: unknown, length: number): string {
  const text = printable(typeof value === 'string' ? value : JSON.stringify(value));
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}
