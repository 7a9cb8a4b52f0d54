import { hash } from 'node:crypto';
import { PgBoss } from 'pg-boss';
import { fail, readJson, succeed } from './read-json.js';

const QUEUE = 'events';

/** An id that is the same wherever the key is: how pg-boss tells repeats. */
function uuidOf(/** @type {string} */ key) {
  const hex = hash('sha256', key, 'hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}

/**
 * Opens pg-boss with a queue of the same policy as the kit's: strictly one after another for each key.
 *
 * @param {string} url
 * @param {string} schema
 */
export async function openBoss(url, schema) {
  const boss = new PgBoss({ connectionString: url, schema, schedule: false, useListenNotify: true });
  // At the end of the run the database goes before those who use it.
  boss.on('error', (error) => process.connected && console.error(error.message));
  await boss.start();
  await boss.createQueue(QUEUE, { policy: 'key_strict_fifo', partition: true, retryLimit: 8, notify: true });
  return {
    boss,
    /** Handles what comes, as many side by side as the kit does. */
    work: (/** @type {(data: any) => void} */ handle) =>
      boss.work(
        QUEUE,
        { batchSize: 32, pollingIntervalSeconds: 0.5, burstWhenBatchFull: true },
        async (/** @type {any[]} */ jobs) => {
          for (const { data } of jobs) handle(data);
        },
      ),
    send: (/** @type {string} */ key, /** @type {string} */ lane, /** @type {object} */ data) =>
      boss.send(QUEUE, data, { id: uuidOf(key), singletonKey: lane }),
    queue: QUEUE,
  };
}

/** @type {import('./contenders.js').CreateListener} */
export async function create({ begun, url, schema }) {
  const { work, send } = await openBoss(url, schema);
  await work(({ receivedAt }) => begun(receivedAt));
  const take = async (
    /** @type {import('node:http').IncomingMessage} */ request,
    /** @type {import('node:http').ServerResponse} */ response,
  ) => {
    const receivedAt = Date.now();
    try {
      const body = await readJson(request);
      await send(body.message_id, body.conversation_id, { receivedAt, content: JSON.stringify(body) });
      succeed(response);
    } catch (error) {
      fail(response, error);
    }
  };
  return (request, response) => void take(request, response);
}
