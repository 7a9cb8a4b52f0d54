import { createServer } from 'node:http';
import { readParseAnswer } from './answer.js';
import { express } from './root.js';

/** What being mounted in Express costs before any receiver has done anything. @type {import('./index.js').CreateServer} */
export function create({ handled }) {
  const app = express();
  app.post('/webhook', (req, res) => readParseAnswer(req, res, handled));
  return createServer(app);
}
