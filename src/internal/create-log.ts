import {
  type Bindings,
  type ChildLoggerOptions,
  type DestinationStream,
  type Logger,
  type LoggerOptions,
  pino,
  stdTimeFunctions,
} from 'pino';
import { type Log, REDACTED, silentLog } from './log.js';
import { createReadableLog } from './readable-log.js';

const SECRETS = [
  'authorization',
  'Authorization',
  'cookie',
  'Cookie',
  'password',
  'secret',
  'token',
  'apiKey',
  'api_key',
];

/** Field names of personal data, in request bodies and in handler contexts. */
const PERSONAL = ['text', 'body', 'output', 'audio', 'transcript', 'email', 'phone', 'user_info', 'user'];

/** Names are redacted down to the fourth level of a log line. */
const LEVELS = ['', '*.', '*.*.', '*.*.*.'];

const everywhere = (names: readonly string[]): string[] =>
  LEVELS.flatMap((level) => names.map((name) => `${level}${name}`));

function redactPaths(showText = false): string[] {
  return [...everywhere(SECRETS), ...(showText ? [] : everywhere(PERSONAL))];
}

/** Set on loggers of `createLog`, and inherited by their children: they redact already. */
const POLICY_APPLIED = Symbol('handoff-kit redaction');

export interface LogOptions {
  /** The lowest level that is written. Default: `LOG_LEVEL` of the environment, else `info`. */
  readonly level?: string;
  /** Where lines are written, as JSON. Default: standard output, as text on a terminal in development. */
  readonly destination?: DestinationStream;
  /** Also log the words of users and agents, e-mail addresses and phone numbers. Secrets stay hidden. */
  readonly showText?: boolean;
  /** Levels as words and times as ISO 8601, without process id and host name. Default: pino's own form. */
  readonly plain?: boolean;
}

/**
 * Creates a pino logger that redacts secrets and, unless `showText` is set, the words of users and agents, e-mail
 * addresses and phone numbers.
 *
 * @example
 * const receiver = createReceiver({ auth, log: createLog({ level: 'info' }) });
 */
export function createLog({ level, destination, showText, plain }: LogOptions = {}): Logger {
  const settings: LoggerOptions = {
    name: 'handoff-kit',
    level: level ?? process.env.LOG_LEVEL ?? 'info',
    redact: { paths: redactPaths(showText), censor: REDACTED },
    ...(plain && PLAIN),
  };
  const stream =
    destination ?? (isRead() && !plain ? createReadableLog((line) => process.stdout.write(line)) : null);
  const log = stream ? pino(settings, stream) : pino(settings);
  return keepRedaction(Object.assign(log, { [POLICY_APPLIED]: true }));
}

/** Whether a person reads standard output: it is a terminal, and not in production. */
const isRead = (): boolean => process.stdout.isTTY && process.env.NODE_ENV !== 'production';

const PLAIN: LoggerOptions = {
  base: null,
  timestamp: stdTimeFunctions.isoTime,
  formatters: { level: (label) => ({ level: label }) },
};

export function logOf(log: Log | false | undefined): Log {
  return log === false ? silentLog : (log ?? createLog());
}

/**
 * Adds redaction to a pino logger, besides the redaction that it has. Returns other loggers unchanged, and also those of
 * {@link createLog}, whose policy was chosen by the application.
 */
export function withRedaction(log: Log): Log {
  if (!isPino(log) || POLICY_APPLIED in log) return log;
  return keepRedaction(childWithRedaction(log, { redact: { paths: redactPaths(), censor: REDACTED } }));
}

type CreateChild = (this: Logger, bindings: Bindings, options?: ChildLoggerOptions) => Logger;

/** The method itself, to be called on any logger. */
const childMethodOf = (log: { readonly child: CreateChild }): CreateChild => log.child;

/** Makes children that set a redaction of their own add it to that of the logger: pino would replace it. */
function keepRedaction(log: Logger): Logger {
  const createChild = childMethodOf(log);
  const child: CreateChild = function child(bindings, options) {
    if (!options?.redact) return createChild.call(this, bindings, options);
    // The bindings come last, so that both redactions apply to them.
    return createChild.call(childWithRedaction(this, options, createChild), bindings);
  };
  return Object.assign(log, { child });
}

/** Turns a value into JSON, redacted. */
type Stringifier = (value: unknown) => string | undefined;

/** pino's stringifiers of a logger: by the name of a top-level field, and one for all other fields. */
type Stringifiers = Record<string | symbol, Stringifier>;

/** A child with the redaction of `options` after the redaction of its parent. */
function childWithRedaction(
  parent: Logger,
  options: ChildLoggerOptions,
  createChild: CreateChild = childMethodOf(parent),
): Logger {
  const child = createChild.call(parent, {}, options);
  const first = stringifiersOf(parent);
  const second = stringifiersOf(child);
  const { wildcardFirstSym: anyField } = pino.symbols;
  const both: Stringifiers = { ...second };
  for (const field of [...Reflect.ownKeys(first), ...Reflect.ownKeys(second)]) {
    if (field === pino.symbols.redactFmtSym) continue;
    const earlier = first[field] ?? first[anyField];
    const later = second[field] ?? second[anyField];
    const only = earlier ?? later;
    if (earlier && later) both[field] = (value) => redactAgain(earlier(value), later);
    else if (only) both[field] = only;
  }
  Reflect.set(child, pino.symbols.stringifiersSym, both);
  return child;
}

const stringifiersOf = (log: Logger): Stringifiers => Reflect.get(log, pino.symbols.stringifiersSym) ?? {};

const redactAgain = (json: string | undefined, redact: Stringifier): string | undefined =>
  json === undefined ? undefined : redact(JSON.parse(json));

function isPino(log: Log): log is Logger {
  return pino.symbols.serializersSym in log;
}
