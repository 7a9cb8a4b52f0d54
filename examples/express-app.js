// @ts-check
/**
 * The receiver in an existing Express app that has other routes and parses JSON for all of them.
 *
 *   export WEBHOOK_USERNAME=acme WEBHOOK_SECRET=… HANDOFF_TOKEN=$(openssl rand -hex 24)
 *   export PLATFORM_BASE_URL=https://api.example.com PLATFORM_API_KEY=…
 *   node examples/express-app.js
 */
import express from 'express';
import { createReceiver, pathToken, webhookUser } from 'handoff-kit';

const { env } = process;

const receiver = createReceiver({
  auth: {
    message: webhookUser({ username: env.WEBHOOK_USERNAME ?? '', secret: env.WEBHOOK_SECRET }),
    handoff: pathToken(env.HANDOFF_TOKEN ?? ''),
  },
  platform: { baseUrl: env.PLATFORM_BASE_URL ?? '', apiKey: env.PLATFORM_API_KEY ?? '' },
});

/** @type {Map<string, number>} */
const open = new Map();

receiver.on('message', ({ conversationId, text }) => {
  console.log(`the bot answered in ${conversationId} with ${text.length} characters`);
});
receiver.on('handoff.requested', async ({ conversationId, user, reply }) => {
  open.set(conversationId, Date.now());
  await reply(`Hello ${user.userId ?? 'there'}, a colleague will be with you in a moment.`);
});
receiver.on('handoff.message', ({ payload, reply }) => reply(`You said: ${payload.body}`));
receiver.on('handoff.closed', ({ conversationId }) => {
  open.delete(conversationId);
});

const app = express();
app.use(express.json());
app.get('/', (_request, response) => {
  response.send('The existing app.');
});
app.get('/open', (_request, response) => {
  response.json([...open.keys()]);
});
app.post('/echo', (request, response) => {
  response.json(request.body);
});
app.use('/webhook', receiver);

await receiver.start();

const server = app.listen(Number(env.PORT ?? 3000), (error) => {
  if (error) throw error;
  const address = server.address();
  console.log(`listening on http://localhost:${typeof address === 'object' && address?.port}`);
});

process.once('SIGTERM', () => {
  server.close();
  void receiver.close().then(() => server.closeIdleConnections());
});
