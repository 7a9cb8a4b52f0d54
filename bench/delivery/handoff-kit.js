import { join } from 'node:path';
import { postgres } from '../../dist/delivery/postgres/index.js';
import { sqlite } from '../../dist/delivery/sqlite/index.js';
import { createReceiver, inline, noAuth, webhookUser } from '../../dist/public/index.js';
import { express } from '../contenders/root.js';
import { credentials } from '../requests.js';

const CONCURRENCY = 32;

/**
 * Opens handoff-kit's delivery on a store.
 *
 * @param {{ id: string, folder: string, url: string, schema: string }} store
 * @returns {import('../../dist/public/index.js').Delivery}
 */
export function openDelivery({ id, folder, url, schema }) {
  if (id === 'inline') return inline();
  if (id === 'sqlite') return sqlite({ file: join(folder, 'handoff.db'), concurrency: CONCURRENCY });
  return postgres({ connectionString: url, schema, concurrency: CONCURRENCY });
}

/**
 * A receiver with one empty handler, mounted in Express as the standalone program mounts it.
 *
 * @type {import('./contenders.js').CreateListener}
 */
export async function create({ onHandlerStart, ...store }) {
  const { username, secret } = credentials;
  const receiver = createReceiver({
    auth: { message: webhookUser({ username, secret }), handoff: noAuth() },
    log: false,
    delivery: openDelivery(store),
  });
  receiver.on('message', async ({ receivedAt }) => onHandlerStart(receivedAt.getTime()));
  receiver.onError(({ error }) => console.error(error));
  await receiver.start();
  return express().use('/webhook', receiver);
}
