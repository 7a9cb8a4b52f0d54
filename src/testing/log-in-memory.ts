import { createLog } from '../internal/create-log.js';
import type { Log } from '../internal/index.js';

/** More lines than this do not help, and the oldest are dropped. */
const MAX_LINES = 20;

/** A log that stays quiet: the lines are kept for the report of a failed test. */
export interface LogInMemory {
  readonly log: Log;
  /** The last lines, as JSON. */
  lines(): readonly string[];
}

/** Creates a {@link LogInMemory}. `LOG_LEVEL` of the environment is its level, else `info`. */
export function createLogInMemory(): LogInMemory {
  const lines: string[] = [];
  const write = (line: string): void => {
    lines.push(line.trimEnd());
    if (lines.length > MAX_LINES) lines.shift();
  };
  return { log: createLog({ plain: true, destination: { write } }), lines: () => lines };
}
