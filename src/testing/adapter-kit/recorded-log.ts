import { createLog } from '../../internal/create-log.js';
import type { Log } from '../../internal/index.js';

/** A log of the usual kind whose lines are kept. */
export interface RecordedLog {
  readonly log: Log;
  /** The lines, as they would be written. */
  readonly lines: readonly string[];
  /** The lines of level error. */
  errors(): readonly string[];
}

const ERROR_LEVEL = /"level":[5-6]0\b/;

/** Makes a log that keeps what it writes, at every level, with the redaction that production has. */
export function createRecordedLog(): RecordedLog {
  const lines: string[] = [];
  return {
    log: createLog({ level: 'trace', destination: { write: (line) => void lines.push(line) } }),
    lines,
    errors: () => lines.filter((line) => ERROR_LEVEL.test(line)),
  };
}
