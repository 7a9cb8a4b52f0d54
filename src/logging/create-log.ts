import { type DestinationStream, type Logger, pino } from 'pino';
import type { Log } from './log.js';
import { CENSOR, type RedactionPolicy, redactPaths } from './redact.js';

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
  return destination ? pino(settings, destination) : pino(settings);
}

/** The same logger with the redaction policy applied, where it is pino; any other logger as it is. */
export function withRedaction(log: Log): Log {
  if (!isPino(log)) return log;
  return log.child({}, { redact: { paths: redactPaths(), censor: CENSOR } });
}

function isPino(log: Log): log is Logger {
  return pino.symbols.serializersSym in log;
}
