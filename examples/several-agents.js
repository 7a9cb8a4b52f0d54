// @ts-check
/**
 * Several agents on one app, each with its own URL, credentials and API key. The credentials of one agent are refused
 * by the others, and a reply is sent with the key of its agent.
 *
 *   export SERVICE_BASE_URL=https://api.example.com
 *   export SALES_USERNAME=… SALES_SECRET=… SALES_TOKEN=$(openssl rand -hex 24) SALES_API_KEY=…
 *   export SUPPORT_USERNAME=… SUPPORT_SECRET=… SUPPORT_TOKEN=$(openssl rand -hex 24) SUPPORT_API_KEY=…
 *   node examples/several-agents.js
 */
import express from 'express';
import { createReceiver, createServiceClient, pathToken, webhookUser } from 'handoff-kit';

const { env } = process;

/** @param {string} name */
function createAgent(name) {
  /** @param {string} setting */
  const settingOf = (setting) => env[`${name.toUpperCase()}_${setting}`] ?? '';

  const service = createServiceClient({
    baseUrl: env.SERVICE_BASE_URL ?? '',
    apiKey: settingOf('API_KEY'),
  });
  const receiver = createReceiver({
    auth: {
      message: webhookUser({ username: settingOf('USERNAME'), secret: settingOf('SECRET') }),
      handoff: pathToken(settingOf('TOKEN')),
    },
    service,
    greeting: `You are talking to ${name}.`,
  });
  receiver.on('message', ({ conversationId }) => console.log(`${name}: an answer in ${conversationId}`));
  receiver.on('handoff.requested', ({ user }) => console.log(`${name}: ${user.key} asks for a human`));
  receiver.on('handoff.message', ({ payload, reply }) => reply(`${name} received: ${payload.body}`));
  receiver.on('handoff.closed', ({ conversationId }) => console.log(`${name}: ${conversationId} has ended`));
  return { name, receiver };
}

const agents = ['sales', 'support'].map(createAgent);

await Promise.all(agents.map(({ receiver }) => receiver.start()));

const app = express();
for (const { name, receiver } of agents) app.use(`/agents/${name}`, receiver);

const server = app.listen(Number(env.PORT ?? 3000), (error) => {
  if (error) throw error;
  const address = server.address();
  console.log(`listening on http://localhost:${typeof address === 'object' && address?.port}`);
});

process.once('SIGTERM', () => {
  server.close();
  void Promise.all(agents.map(({ receiver }) => receiver.close())).then(() => server.closeIdleConnections());
});
