import { createServer } from 'node:http';
import { createReceiver, noAuth, webhookUser } from '../../dist/index.js';
import { credentials } from '../requests.js';
import { express, pino } from './root.js';

const { username, secret } = credentials;

/** @type {import('./index.js').CreateServer} */
export function create({ handled, logFile, variant }) {
  const { mount = 'express', log = false, reads = false, isAsync = false } = variant ?? {};
  const receiver = createReceiver({
    auth: { message: webhookUser({ username, secret }), handoff: noAuth() },
    log: log ? pino(pino.destination(logFile)) : false,
    ...(mount === 'express' ? {} : { basePath: '/webhook' }),
  });
  // The payload is made when it is first looked at: a handler that does nothing must not name it.
  if (isAsync) receiver.on('message', async () => handled());
  else if (!reads) receiver.on('message', () => handled());
  else {
    receiver.on('message', ({ payload }) => {
      readAll(payload);
      handled();
    });
  }
  if (mount === 'http') return createServer(receiver);
  const app = express();
  if (mount === 'before') return createServer(receiver.before(app));
  app.use('/webhook', receiver);
  return createServer(app);
}

/**
 * Looks at every part of a message that a receiver might leave alone until somebody asks.
 *
 * @param {import('../../dist/protocol/index.js').AgentMessage} payload
 */
function readAll({ output, usage }) {
  const text = output.map(({ content }) => content.text).join('\n');
  const speech = output.flatMap(({ content }) => content.audio.map((clip) => clip.transcript));
  const { tokens, credits } = usage;
  const complete =
    text !== '' && speech.length === 1 && tokens.total_tokens === 1432 && credits.total_credits === 3.25;
  if (!complete) throw new Error('the payload is not the one that was sent');
}
