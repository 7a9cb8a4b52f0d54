import { type DestinationStream, type Logger, pino } from 'pino';

/** Writes one log line: its fields, then a short text. Has the signature of pino's methods. */
export type LogLine = (about: object, text: string) => void;

/**
 * The logger interface of this package. Every pino logger implements it.
 *
 * @example
 * const log: Log = pino();
 */
export interface Log {
  debug: LogLine;
  info: LogLine;
  warn: LogLine;
  error: LogLine;
  /** Creates a logger that adds `bindings` to each line. */
  child(bindings: Record<string, unknown>): Log;
  /** Whether lines of that level are written; if absent, they are. */
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

/** Creates a function that logs one warning per key. After `limit` keys it logs nothing more. */
export function createWarnOnce(log: Log, limit = 100): (key: string, about: object, text: string) => void {
  const warned = new Set<string>();
  return (key, about, text) => {
    if (warned.has(key) || warned.size >= limit) return;
    warned.add(key);
    log.warn(about, text);
  };
}

/** Replaces redacted values in log lines. */
export const CENSOR = '[redacted]';

/** Field names of secrets. */
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

/** The paths for pino's `redact` option. */
function redactPaths(showText = false): string[] {
  return [...everywhere(SECRETS), ...(showText ? [] : everywhere(PERSONAL))];
}

/** Marks a logger of `createLog`, and by inheritance its children: its redaction is decided already. */
const POLICY_APPLIED = Symbol('handoff-kit redaction');

/** Options of {@link createLog}. */
export interface LogOptions {
  /** The lowest level that is written. Default: `LOG_LEVEL` of the environment, else `warn`. */
  readonly level?: string;
  /** Where lines are written. Default: standard output. */
  readonly destination?: DestinationStream;
  /** Also log the words of users and agents, e-mail addresses and phone numbers. Secrets stay hidden. */
  readonly showText?: boolean;
}

/**
 * Creates a pino logger that redacts secrets and, unless `showText` is set, the words of users and agents, e-mail
 * addresses and phone numbers.
 *
 * @example
 * const receiver = createReceiver({ auth, log: createLog({ level: 'info' }) });
 */
export function createLog({ level, destination, showText }: LogOptions = {}): Logger {
  const settings = {
    name: 'handoff-kit',
    level: level ?? process.env.LOG_LEVEL ?? 'warn',
    redact: { paths: redactPaths(showText), censor: CENSOR },
  };
  const log = destination ? pino(settings, destination) : pino(settings);
  return Object.assign(log, { [POLICY_APPLIED]: true });
}

/**
 * Adds redaction to a pino logger. Returns other loggers unchanged, and also those of {@link createLog}, whose
 * policy was chosen by the application.
 */
export function withRedaction(log: Log): Log {
  if (!isPino(log) || POLICY_APPLIED in log) return log;
  return log.child({}, { redact: { paths: redactPaths(), censor: CENSOR } });
}

function isPino(log: Log): log is Logger {
  return pino.symbols.serializersSym in log;
}
