// @ts-nocheck: its package is installed for the benchmark alone.
import { hash } from 'node:crypto';
import { PgBoss } from 'pg-boss';
import { fail, readJson, succeed } from './bare-http.js';

const QUEUE = 'events';

/** Derives a job id from an idempotency key, because pg-boss recognises repeats by the id alone. */
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
 * Opens pg-boss with a queue of the same policy as handoff-kit's: one job at a time per key, in strict order.
 *
 * @param {string} url
 * @param {string} schema
 */
export async function openBoss(url, schema) {
  const boss = new PgBoss({ connectionString: url, schema, schedule: false, useListenNotify: true });
  // At the end of a run PostgreSQL stops before its clients do.
  boss.on('error', (error) => process.connected && console.error(error.message));
  await boss.start();
  await boss.createQueue(QUEUE, { policy: 'key_strict_fifo', partition: true, retryLimit: 8, notify: true });
  return {
    /** Starts to handle jobs in batches of 32, the concurrency of handoff-kit here. */
    work: (/** @type {(data: any) => void} */ handle) =>
      boss.work(
        QUEUE,
        { batchSize: 32, pollingIntervalSeconds: 0.5, burstWhenBatchFull: true },
        async (/** @type {any[]} */ jobs) => {
          for (const { data } of jobs) handle(data);
        },
      ),
    send: (/** @type {string} */ key, /** @type {string} */ conversation, /** @type {object} */ data) =>
      boss.send(QUEUE, data, { id: uuidOf(key), singletonKey: conversation }),
    /** Adds many jobs with one statement. */
    insert: (/** @type {import('pg-boss').JobInsert[]} */ jobs) => boss.insert(QUEUE, jobs),
    close: () => boss.stop({ graceful: false, close: true }),
  };
}

/** @type {import('./contenders.js').CreateListener} */
export async function create({ onHandlerStart, url, schema }) {
  const { work, send } = await openBoss(url, schema);
  await work(({ receivedAt }) => onHandlerStart(receivedAt));
  const accept = async (
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
  return (request, response) => void accept(request, response);
}
