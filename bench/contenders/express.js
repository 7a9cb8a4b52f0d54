import { createServer } from 'node:http';
import { readParseAnswer } from './answer.js';
import { express } from './root.js';

/** The cost of Express itself, without a receiver. @type {import('./index.js').CreateServer} */
export function create({ handled }) {
  const app = express();
  app.post('/webhook', (req, res) => readParseAnswer(req, res, handled));
  return createServer(app);
}
