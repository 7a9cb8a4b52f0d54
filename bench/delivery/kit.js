import { createReceiver, noAuth, webhookUser } from '../../dist/index.js';
import { express } from '../contenders/root.js';
import { credentials } from '../requests.js';

/**
 * A receiver with one handler that does nothing, in front of a delivery. It is mounted in Express, as the standalone
 * program mounts it.
 *
 * @param {import('../../dist/index.js').Delivery} delivery
 * @param {(receivedAt: number) => void} begun
 * @returns {Promise<import('node:http').RequestListener>}
 */
export async function receiverOn(delivery, begun) {
  const receiver = createReceiver({
    auth: { message: webhookUser(credentials), handoff: noAuth() },
    log: false,
    delivery,
  });
  receiver.on('message', async ({ receivedAt }) => begun(receivedAt.getTime()));
  receiver.onError(({ error }) => console.error(error));
  await receiver.start();
  return express().use('/webhook', receiver);
}
