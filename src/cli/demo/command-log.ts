import { type Logger, pino } from 'pino';
import { createLog } from '../../internal/index.js';
import { createReadableLog } from '../../standalone/index.js';
import type { Output } from '../output.js';

/** The log of a command on standard error: warnings and errors, for programs or for people. */
export function createCommandLog({ json, colours }: Output): Logger {
  const destination = json
    ? pino.destination({ dest: 2, sync: true })
    : createReadableLog((line) => process.stderr.write(line), colours);
  return createLog({ level: 'warn', destination });
}
