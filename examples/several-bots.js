// @ts-check
/**
 * Several bots in one receiver, each with its own credentials and API key. The receiver recognises a request's bot by
 * its credentials, or by the name in its path: /bots/sales/…
 *
 *   export PLATFORM_BASE_URL=https://api.example.com
 *   export SALES_USERNAME=… SALES_SECRET=… SALES_TOKEN=$(openssl rand -hex 24) SALES_API_KEY=…
 *   export SUPPORT_USERNAME=… SUPPORT_SECRET=… SUPPORT_TOKEN=$(openssl rand -hex 24) SUPPORT_API_KEY=…
 *   node examples/several-bots.js
 */
import express from 'express';
import { createReceiver, pathToken, webhookUser } from 'handoff-kit';

const { env } = process;

/** @param {string} name */
function botOf(name) {
  /** @param {string} setting */
  const settingOf = (setting) => env[`${name.toUpperCase()}_${setting}`] ?? '';
  return {
    auth: {
      message: webhookUser({ username: settingOf('USERNAME'), secret: settingOf('SECRET') }),
      handoff: pathToken(settingOf('TOKEN')),
    },
    platform: { baseUrl: env.PLATFORM_BASE_URL ?? '', apiKey: settingOf('API_KEY') },
  };
}

const receiver = createReceiver({
  bots: { sales: botOf('sales'), support: botOf('support') },
  greeting: ({ bot }) => `You are talking to ${bot}.`,
});
// Conversation ids begin with the bot's name: sales/65d4…
receiver.on('message', ({ bot, conversationId }) => console.log(`${bot}: an answer in ${conversationId}`));
receiver.on('handoff.requested', ({ bot, user }) => console.log(`${bot}: ${user.key} asks for a human`));
receiver.on('handoff.message', ({ bot, text, reply }) => reply(`${bot} received: ${text}`));
receiver.on('handoff.closed', ({ bot, payload }) =>
  console.log(`${bot}: ${payload.conversation_id} has ended`),
);

await receiver.start();

const app = express();
app.use('/bots', receiver);

const server = app.listen(Number(env.PORT ?? 3000), (error) => {
  if (error) throw error;
  const address = server.address();
  console.log(`listening on http://localhost:${typeof address === 'object' && address?.port}`);
});

process.once('SIGTERM', () => {
  server.close();
  void receiver.close().then(() => server.closeIdleConnections());
});
