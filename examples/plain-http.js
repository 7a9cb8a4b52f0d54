// @ts-check
/**
 * The receiver on node:http, without Express, with a Bearer token for handoff requests. `basePath` replaces
 * `app.use(path, …)`.
 *
 *   export WEBHOOK_USERNAME=acme WEBHOOK_SECRET=… HANDOFF_TOKEN=$(openssl rand -hex 24)
 *   export PLATFORM_BASE_URL=https://api.example.com PLATFORM_API_KEY=…
 *   node examples/plain-http.js
 */
import { createServer } from 'node:http';
import { bearer, createReceiver, webhookUser } from 'handoff-kit';

const { env } = process;

const receiver = createReceiver({
  basePath: '/webhook',
  auth: {
    message: webhookUser({ username: env.WEBHOOK_USERNAME ?? '', secret: env.WEBHOOK_SECRET }),
    handoff: bearer(env.HANDOFF_TOKEN ?? ''),
  },
  platform: { baseUrl: env.PLATFORM_BASE_URL ?? '', apiKey: env.PLATFORM_API_KEY ?? '' },
});

receiver.on('message', ({ conversationId }) => console.log(`an answer in ${conversationId}`));
receiver.on('handoff.requested', ({ reply }) => reply('Hello, what can I do for you?'));
receiver.on('handoff.message', async ({ payload, reply, end }) => {
  await reply(`You said: ${payload.body}`);
  if (payload.body === 'bye') await end();
});

await receiver.start();
const server = createServer(receiver);
server.listen(Number(env.PORT ?? 3000), () => {
  const address = server.address();
  console.log(`listening on http://localhost:${typeof address === 'object' && address?.port}`);
});

process.once('SIGTERM', () => {
  server.close();
  void receiver.close().then(() => server.closeIdleConnections());
});
