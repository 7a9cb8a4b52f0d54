import { createServer } from 'node:http';
import bolt from '@slack/bolt';
import { credentials } from '../requests.js';
import { boltApp, silent } from './bolt.js';

/** @type {import('./index.js').CreateServer} */
export function create({ handled }) {
  const receiver = new bolt.HTTPReceiver({ signingSecret: credentials.signingSecret, logger: silent });
  boltApp(receiver, handled);
  return createServer(receiver.requestListener);
}
