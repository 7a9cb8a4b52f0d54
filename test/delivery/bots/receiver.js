import { createServer } from 'node:http';
import { createReceiver, pathToken } from 'handoff-kit';

/**
 * A receiver with two bots, which the test kills.
 *
 * @typedef {{ engine: string, options: object, bots: Record<string, { baseUrl: string, apiKey: string, token: string }> }} Settings
 */

/** @type {Settings} */
const { engine, options, bots } = JSON.parse(process.argv[2] ?? '{}');

/** @type {Record<string, (options: object) => import('handoff-kit').Delivery>} */
const engines = await import(new URL(`../../../dist/delivery/${engine}/index.js`, import.meta.url).href);
const delivery = engines[engine]?.(options);
if (!delivery) throw new Error(`unknown engine ${engine}`);

const receiver = createReceiver({
  bots: Object.fromEntries(
    Object.entries(bots).map(([name, { baseUrl, apiKey, token }]) => [
      name,
      {
        auth: { message: false, handoff: pathToken(token) },
        platform: { baseUrl, apiKey, retry: false, timeoutMs: 2_000 },
      },
    ]),
  ),
  delivery,
});
receiver.on('handoff.requested', () => {});
receiver.on('handoff.message', async ({ bot, text, reply }) => {
  await reply(`${bot} answers ${text}`);
});
await receiver.start();
const server = createServer(receiver).listen(0, '127.0.0.1', () => process.send?.(server.address()));
