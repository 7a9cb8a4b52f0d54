import { createServer } from 'node:http';
import { middleware, SignatureValidationFailed } from '@line/bot-sdk';
import { credentials } from '../requests.js';
import { express } from './root.js';

/** @type {import('express').ErrorRequestHandler} */
const refuse = (error, _req, res, next) => {
  if (error instanceof SignatureValidationFailed) res.status(401).end();
  else next(error);
};

/** As its documentation mounts it in Express. @type {import('./index.js').CreateServer} */
export function create({ handled }) {
  const app = express();
  app.post('/webhook', middleware({ channelSecret: credentials.signingSecret }), async (req, res) => {
    await Promise.all(req.body.events.map(async () => handled()));
    res.json({ code: 200, msg: 'success' });
  });
  app.use(refuse);
  return createServer(app);
}
