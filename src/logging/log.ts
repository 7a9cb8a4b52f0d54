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
