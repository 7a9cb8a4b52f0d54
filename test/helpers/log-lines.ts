import { createLog, type LogOptions } from '../../src/public/index.js';
import { createCondition } from './deferred.js';

/** A parsed log line. */
export type Line = Readonly<Record<string, unknown>> & { readonly msg: string; readonly level: number };

/** pino's level numbers. */
export const LEVEL = { info: 30, warn: 40, error: 50 } as const;

/** A logger that writes to memory, at every level. */
export function logLines(options: Omit<LogOptions, 'destination'> = {}) {
  const written: string[] = [];
  const condition = createCondition();
  const write = (line: string): void => {
    written.push(line);
    condition.changed();
  };
  const lines = (): Line[] => written.map((line) => JSON.parse(line));

  return {
    log: createLog({ level: 'trace', ...options, destination: { write } }),
    /** The destination, for a logger that the test creates itself. */
    destination: { write },
    /** Everything written so far. */
    text: (): string => written.join(''),
    lines,
    /** The lines whose message contains this text. */
    about: (part: string): Line[] => lines().filter(({ msg }) => msg.includes(part)),
    /** Waits for the first line whose message contains this text. */
    until: (part: string): Promise<Line> =>
      condition.until(() => lines().find(({ msg }) => msg.includes(part))),
  };
}
