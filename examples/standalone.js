// @ts-check
/**
 * A receiver as a program, in twenty lines. It only prints events: without a handler for `handoff.requested`, handoff
 * requests are answered 503.
 *
 *   WEBHOOK_USERNAME=acme HANDOFF_TOKEN=$(openssl rand -hex 24) node examples/standalone.js
 */
import express from 'express';
import { createReceiver, pathToken, webhookUser } from 'handoff-kit';

const { PORT = '3000', WEBHOOK_USERNAME = '', WEBHOOK_SECRET, HANDOFF_TOKEN = '' } = process.env;
const receiver = createReceiver({
  auth: {
    message: webhookUser({ username: WEBHOOK_USERNAME, secret: WEBHOOK_SECRET }),
    handoff: pathToken(HANDOFF_TOKEN),
  },
});
receiver.onAny(({ event, requestId }) => console.log(`${event} received with request ${requestId}`));
await receiver.start();

const server = express().use('/webhook', receiver).listen(Number(PORT));
server.once('listening', () => console.log('listening on', server.address()));

process.once('SIGTERM', () => {
  server.close();
  void receiver.close().then(() => server.closeIdleConnections());
});
