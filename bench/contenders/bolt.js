// @ts-nocheck: its package is installed for the benchmark alone.
import { createServer } from 'node:http';
import bolt from '@slack/bolt';
import { credentials } from '../requests.js';

const ignore = () => {};

const silent = {
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: ignore,
  setLevel: ignore,
  getLevel: () => bolt.LogLevel.ERROR,
  setName: ignore,
};

/**
 * An app on one of Bolt's two HTTP receivers. The conversation store is off and the authorization is constant, so
 * that only Bolt's own work per event is measured.
 *
 * @type {import('./index.js').CreateServer}
 */
export function create({ handled, variant }) {
  const options = { signingSecret: credentials.signingSecret, logger: silent };
  const receiver =
    variant?.mount === 'http' ? new bolt.HTTPReceiver(options) : new bolt.ExpressReceiver(options);
  const app = new bolt.App({
    receiver,
    logger: silent,
    convoStore: false,
    authorize: async () => ({ botToken: 'xoxb-bench', botId: 'B00000001', botUserId: 'U00000001' }),
  });
  app.event('message', async ({ event }) => handled('text' in event ? event.text : undefined));
  return createServer(receiver instanceof bolt.HTTPReceiver ? receiver.requestListener : receiver.app);
}
