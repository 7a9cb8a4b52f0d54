import { fsyncSync, openSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createReceiver, noAuth } from 'handoff-kit';
import { pino } from 'pino';

/**
 * A receiver that the crash test kills. Its handlers write a line to a journal when they begin and when they end.
 *
 * @typedef {{ engine: string, options: object, port: number, baseUrl: string, apiKey: string, journal: string }} Settings
 */

/** @type {Settings} */
const { engine, options, port, baseUrl, apiKey, journal } = JSON.parse(process.argv[2] ?? '{}');

/** @type {Record<string, (options: object) => import('handoff-kit').Delivery>} */
const engines = await import(new URL(`../../../dist/delivery/${engine}/index.js`, import.meta.url).href);
const delivery = engines[engine]?.(options);
if (!delivery) throw new Error(`unknown engine ${engine}`);

const file = openSync(journal, 'a');
/** @param {'begin' | 'end' | 'fail'} what @param {string} conversationId @param {string} number */
const note = (what, conversationId, number) =>
  writeSync(file, `${process.pid} ${what} ${conversationId} ${number}\n`);

/** On a busy machine a process may also be late with its lease without being paused. Its log says so. */
const log = pino(
  {},
  {
    write(/** @type {string} */ line) {
      if (line.includes('lease was not renewed in time')) writeSync(file, `${process.pid} late\n`);
    },
  },
);

const receiver = createReceiver({
  log,
  auth: { message: noAuth(), handoff: noAuth() },
  platform: { baseUrl, apiKey, retry: false },
  delivery,
});
receiver.on('handoff.requested', () => {});
receiver.on('handoff.message', async ({ conversationId, payload, reply }) => {
  note('begin', conversationId, payload.body);
  try {
    await reply(payload.body);
  } catch (error) {
    // The database is restarting: the event is retried.
    note('fail', conversationId, payload.body);
    throw error;
  }
  await sleep(Math.random() * 4);
  note('end', conversationId, payload.body);
  fsyncSync(file);
});

await receiver.start();
createServer(receiver).listen(port, '127.0.0.1', () => process.send?.('ready'));
