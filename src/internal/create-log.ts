import { type DestinationStream, type Logger, pino } from 'pino';
import { type Log, REDACTED } from './log.js';

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

/** Set on loggers of `createLog`, and inherited by their children: they redact already. */
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
    redact: { paths: redactPaths(showText), censor: REDACTED },
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
  return log.child({}, { redact: { paths: redactPaths(), censor: REDACTED } });
}

function isPino(log: Log): log is Logger {
  return pino.symbols.serializersSym in log;
}
