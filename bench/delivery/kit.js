import { createReceiver, noAuth, webhookUser } from '../../dist/index.js';
import { credentials } from '../requests.js';

/**
 * A receiver with one handler that does nothing, in front of a delivery.
 *
 * @param {import('../../dist/index.js').Delivery} delivery
 * @param {(receivedAt: number) => void} begun
 * @returns {import('node:http').RequestListener}
 */
export function receiverOn(delivery, begun) {
  const receiver = createReceiver({
    auth: { message: webhookUser(credentials), handoff: noAuth() },
    log: false,
    basePath: '/webhook',
    delivery,
  });
  receiver.on('message', async ({ receivedAt }) => begun(receivedAt.getTime()));
  receiver.onError(({ error }) => console.error(error));
  return (request, response) => receiver(request, response);
}
