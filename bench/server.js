import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contenders } from './contenders/index.js';

/**
 * One contender in a child process. It reports its counters since their last reset to its parent.
 *
 * @typedef {object} ServerReport
 * @property {number} handled requests that reached the handler
 * @property {number} textsRead requests whose text the handler read
 * @property {number} cpu CPU time in microseconds
 * @property {number} logLines
 */

const contender = contenders.find(({ id }) => id === process.argv[2]);
if (!contender) throw new Error(`there is no contender ${process.argv[2]}`);

const folder = mkdtempSync(join(tmpdir(), 'handoff-kit-bench-'));
const logFile = join(folder, 'log');
appendFileSync(logFile, '');
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

let handled = 0;
let textsRead = 0;
let cpu = process.cpuUsage();

const { create } = await import(`./contenders/${contender.module}`);
/** @type {import('node:http').Server} */
const server = await create({
  handled: (/** @type {string | undefined} */ text) => {
    handled += 1;
    if (text) textsRead += 1;
  },
  logFile,
  variant: contender.variant,
});

/** Call it only between requests: pino writes in the background, and a line could be lost. */
function reset() {
  truncateSync(logFile);
  handled = 0;
  textsRead = 0;
  cpu = process.cpuUsage();
}

/** @returns {ServerReport} */
function report() {
  const { user, system } = process.cpuUsage(cpu);
  const logLines = readFileSync(logFile).reduce((lines, byte) => (byte === 10 ? lines + 1 : lines), 0);
  return { handled, textsRead, cpu: user + system, logLines };
}

process.on('message', (question) => process.send?.({ result: question === 'reset' ? reset() : report() }));
process.on('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ ready: true, port: typeof address === 'object' ? address?.port : undefined });
});
