import { createServer } from 'node:http';
import { botMessage, messageText } from '../../dist/protocol/index.js';
import { authorized } from './credentials.js';
import { express } from './root.js';

/** A hand-written receiver with the project's own schema. @type {import('./index.js').CreateServer} */
export function create({ handled }) {
  const app = express();
  app.post(
    '/webhook',
    (req, res, next) => {
      if (authorized(req.headers.authorization)) next();
      else res.status(401).json({ code: 401, msg: 'unauthorized' });
    },
    express.json(),
    (req, res) => {
      const { success, data } = botMessage.safeParse(req.body);
      if (!success) return res.status(400).json({ code: 400, msg: 'invalid body' });
      handled(messageText(data));
      return res.json({ code: 200, msg: 'success' });
    },
  );
  return createServer(app);
}
