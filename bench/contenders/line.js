// @ts-nocheck: its package is installed for the benchmark alone.
import { createServer } from 'node:http';
import { middleware, SignatureValidationFailed } from '@line/bot-sdk';
import { credentials } from '../requests.js';
import { express } from './root.js';

/** @type {import('express').ErrorRequestHandler} */
const refuse = (error, _req, res, next) => {
  if (error instanceof SignatureValidationFailed) res.status(401).end();
  else next(error);
};

/** Mounted as in its documentation. @type {import('./index.js').CreateServer} */
export function create({ handled }) {
  const app = express();
  app.post('/webhook', middleware({ channelSecret: credentials.signingSecret }), async (req, res) => {
    await Promise.all(
      req.body.events.map(async (/** @type {import('@line/bot-sdk').webhook.Event} */ event) =>
        handled(event.type === 'message' && event.message.type === 'text' ? event.message.text : undefined),
      ),
    );
    res.json({ code: 200, msg: 'success' });
  });
  app.use(refuse);
  return createServer(app);
}
