import { createLog, type LogOptions } from '../../src/index.js';

/** A line of the log. */
export type Line = Readonly<Record<string, unknown>> & { readonly msg: string; readonly level: number };

/** Levels, as pino numbers them. */
export const LEVEL = { info: 30, warn: 40, error: 50 } as const;

/** A logger that writes into memory, at every level. */
export function logLines(options: Omit<LogOptions, 'destination'> = {}) {
  const written: string[] = [];
  const hearers = new Set<() => void>();
  const write = (line: string): void => {
    written.push(line);
    for (const hear of hearers) hear();
  };
  const lines = (): Line[] => written.map((line) => JSON.parse(line));

  return {
    log: createLog({ level: 'trace', ...options, destination: { write } }),
    /** Where lines go, for a logger made otherwise. */
    destination: { write },
    /** All that was written. */
    text: (): string => written.join(''),
    lines,
    /** The lines whose text has this in it. */
    about: (part: string): Line[] => lines().filter(({ msg }) => msg.includes(part)),
    /** Resolves to the first line whose text has this in it, once it is written. */
    until: (part: string): Promise<Line> =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = lines().find(({ msg }) => msg.includes(part));
          if (!found) return;
          hearers.delete(look);
          resolve(found);
        };
        hearers.add(look);
        look();
      }),
  };
}
