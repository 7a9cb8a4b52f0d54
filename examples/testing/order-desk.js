// @ts-check
/**
 * The module under test: a desk that answers questions about orders. The real program uses it like this:
 *
 *   app.use('/webhook', createOrderDesk({ auth: { … }, platform: { … } }));
 */
import { createReceiver } from 'handoff-kit';

/** @param {import('handoff-kit').ReceiverOptions} options */
export function createOrderDesk(options) {
  const receiver = createReceiver({ ...options, log: false });

  receiver.on('handoff.requested', ({ reply }) => reply('Hello, which order is it about?'));
  receiver.on('handoff.message', async ({ payload, reply, end }) => {
    const order = /\d{4,}/.exec(payload.body)?.[0];
    if (!order) {
      await reply('Please send me your order number.');
      return;
    }
    await reply(`Order ${order} is on its way.`);
    await end();
  });

  return receiver;
}
