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

export const REDACTED = '[redacted]';
