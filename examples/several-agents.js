// @ts-check
/**
 * Several agents in one receiver. Each has its own credentials and API key; the agent of a request is known by its
 * credentials, or by the name in its path, as here: /agents/sales/…
 *
 *   export SERVICE_BASE_URL=https://api.example.com
 *   export SALES_USERNAME=… SALES_SECRET=… SALES_TOKEN=$(openssl rand -hex 24) SALES_API_KEY=…
 *   export SUPPORT_USERNAME=… SUPPORT_SECRET=… SUPPORT_TOKEN=$(openssl rand -hex 24) SUPPORT_API_KEY=…
 *   node examples/several-agents.js
 */
import express from 'express';
import { createReceiver, pathToken, webhookUser } from 'handoff-kit';

const { env } = process;

/** @param {string} name */
function agentOf(name) {
  /** @param {string} setting */
  const settingOf = (setting) => env[`${name.toUpperCase()}_${setting}`] ?? '';
  return {
    auth: {
      message: webhookUser({ username: settingOf('USERNAME'), secret: settingOf('SECRET') }),
      handoff: pathToken(settingOf('TOKEN')),
    },
    service: { baseUrl: env.SERVICE_BASE_URL ?? '', apiKey: settingOf('API_KEY') },
  };
}

const receiver = createReceiver({
  agents: { sales: agentOf('sales'), support: agentOf('support') },
  greeting: ({ agent }) => `You are talking to ${agent}.`,
});
// The ids of conversations begin with the agent's name: sales/65d4…
receiver.on('message', ({ agent, conversationId }) =>
  console.log(`${agent}: an answer in ${conversationId}`),
);
receiver.on('handoff.requested', ({ agent, user }) => console.log(`${agent}: ${user.key} asks for a human`));
receiver.on('handoff.message', ({ agent, text, reply }) => reply(`${agent} received: ${text}`));
receiver.on('handoff.closed', ({ agent, payload }) =>
  console.log(`${agent}: ${payload.conversation_id} has ended`),
);

await receiver.start();

const app = express();
app.use('/agents', receiver);

const server = app.listen(Number(env.PORT ?? 3000), (error) => {
  if (error) throw error;
  const address = server.address();
  console.log(`listening on http://localhost:${typeof address === 'object' && address?.port}`);
});

process.once('SIGTERM', () => {
  server.close();
  void receiver.close().then(() => server.closeIdleConnections());
});
