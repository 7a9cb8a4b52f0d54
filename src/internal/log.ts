import { type DestinationStream, type Logger, pino } from 'pino';

/** Writes one line: what it is about as an object, then a short text. The shape of pino's methods. */
export type LogLine = (about: object, text: string) => void;

/** What the package needs of a logger. Any pino logger is one. */
export interface Log {
  debug: LogLine;
  info: LogLine;
  warn: LogLine;
  error: LogLine;
  /** A logger whose every line also carries `bindings`. */
  child(bindings: Record<string, unknown>): Log;
  /** Whether a line of that level would be written; absent means yes. */
  isLevelEnabled?(level: string): boolean;
}

const ignore: LogLine = () => {};

/** A logger that writes nothing. */
export const silentLog: Log = {
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: ignore,
  child: () => silentLog,
  isLevelEnabled: () => false,
};

/** Says a thing the first time only. Remembers a bounded number of things: after that it stays quiet. */
export function createWarnOnce(log: Log, limit = 100): (key: string, about: object, text: string) => void {
  const said = new Set<string>();
  return (key, about, text) => {
    if (said.has(key) || said.size >= limit) return;
    said.add(key);
    log.warn(about, text);
  };
}

/** What stands in a log line in place of what must not be there. */
export const CENSOR = '[redacted]';

/** Names under which secrets travel. */
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

/** Names under which people's words and addresses travel, in the wire's bodies and in a handler's argument. */
const PERSONAL = ['text', 'body', 'output', 'audio', 'transcript', 'email', 'phone', 'user_info', 'user'];

/** How deep below a log line's object a name is looked for. */
const LEVELS = ['', '*.', '*.*.', '*.*.*.'];

const everywhere = (names: readonly string[]): string[] =>
  LEVELS.flatMap((level) => names.map((name) => `${level}${name}`));

/** What the log may show. */
export interface RedactionPolicy {
  /** Also show what users and agents write, e-mail addresses and phone numbers. Secrets stay hidden. */
  readonly showText?: boolean;
}

/** The paths to hide, as pino's `redact` option takes them. */
export function redactPaths({ showText = false }: RedactionPolicy = {}): string[] {
  return [...everywhere(SECRETS), ...(showText ? [] : everywhere(PERSONAL))];
}

/** Marks a logger, and by inheritance its children, whose redaction was decided when it was made. */
const POLICY_APPLIED = Symbol('handoff-kit redaction');

/** Settings of {@link createLog}. */
export interface LogOptions extends RedactionPolicy {
  /** The least level written; `LOG_LEVEL` of the environment, or `warn`. */
  readonly level?: string;
  /** Where lines go; standard output when left out. */
  readonly destination?: DestinationStream;
}

/**
 * A pino logger that hides secrets, and unless told otherwise also what people write, their e-mail addresses
 * and phone numbers.
 */
export function createLog({ level, destination, ...policy }: LogOptions = {}): Logger {
  const settings = {
    name: 'handoff-kit',
    level: level ?? process.env.LOG_LEVEL ?? 'warn',
    redact: { paths: redactPaths(policy), censor: CENSOR },
  };
  const log = destination ? pino(settings, destination) : pino(settings);
  return Object.assign(log, { [POLICY_APPLIED]: true });
}

/**
 * The same logger with the redaction policy applied, where it is pino; any other logger as it is. So is one
 * made by {@link createLog}, and its children: it has a policy, perhaps with `showText`.
 */
export function withRedaction(log: Log): Log {
  if (!isPino(log) || POLICY_APPLIED in log) return log;
  return log.child({}, { redact: { paths: redactPaths(), censor: CENSOR } });
}

function isPino(log: Log): log is Logger {
  return pino.symbols.serializersSym in log;
}
