import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contenders } from './contenders/index.js';

/**
 * One contender, in a process of its own. It tells its parent what it did since its counters were reset.
 *
 * @typedef {object} ServerReport
 * @property {number} handled requests that reached the handler
 * @property {number} cpu microseconds of processor time
 * @property {number} logLines
 */

const contender = contenders.find(({ id }) => id === process.argv[2]);
if (!contender) throw new Error(`no contender is called ${process.argv[2]}`);

const folder = mkdtempSync(join(tmpdir(), 'handoff-kit-bench-'));
const logFile = join(folder, 'log');
appendFileSync(logFile, '');
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

let handled = 0;
let cpu = process.cpuUsage();

const { create } = await import(`./contenders/${contender.module}`);
/** @type {import('node:http').Server} */
const server = await create({
  handled: () => {
    handled += 1;
  },
  logFile,
  variant: contender.variant,
});

/** Only while no request is under way: pino writes in the background, and a line could be lost. */
function reset() {
  truncateSync(logFile);
  handled = 0;
  cpu = process.cpuUsage();
}

/** @returns {ServerReport} */
function report() {
  const { user, system } = process.cpuUsage(cpu);
  const logLines = readFileSync(logFile).reduce((lines, byte) => (byte === 10 ? lines + 1 : lines), 0);
  return { handled, cpu: user + system, logLines };
}

process.on('message', (question) => process.send?.({ result: question === 'reset' ? reset() : report() }));
process.on('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ ready: true, port: typeof address === 'object' ? address?.port : undefined });
});
