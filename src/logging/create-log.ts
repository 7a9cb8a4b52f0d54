import { type DestinationStream, type Logger, pino } from 'pino';
import type { Log } from './log.js';
import { CENSOR, type RedactionPolicy, redactPaths } from './redact.js';

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
