import type { Receiver } from 'handoff-kit';

/** Answers users in code. To connect a helpdesk or the built-in desk, see handoff-kit's guide to helpdesks. */
export function connectHelpdesk(receiver: Receiver) {
  receiver
    .on('handoff.requested', async ({ user, reply, log }) => {
      log.info({ userKey: user.key }, 'waits for an agent');
      await reply('Hello, how can I help you?');
    })
    .on('handoff.message', async ({ text, reply, end }) => {
      if (text.trim().toLowerCase() === 'bye') await end();
      else await reply(`You said: ${text}`);
    })
    .on('handoff.closed', ({ payload, log }) => log.info({ reason: payload.type }, 'left'));
  return { close: async () => {} };
}
