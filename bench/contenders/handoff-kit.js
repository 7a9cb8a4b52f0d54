import { createServer } from 'node:http';
import { createReceiver, noAuth, webhookUser } from '../../dist/public/index.js';
import { credentials } from '../requests.js';
import { express, pino } from './root.js';

const { username, secret } = credentials;

/** @type {import('./index.js').CreateServer} */
export async function create({ handled, logFile, variant }) {
  const { mount = 'express', log = false, handler = 'text' } = variant ?? {};
  const receiver = createReceiver({
    auth: { message: webhookUser({ username, secret }), handoff: noAuth() },
    log: log ? pino({ level: 'debug' }, pino.destination(logFile)) : false,
    ...(mount === 'http' || mount === 'before' ? { basePath: '/webhook' } : {}),
  });
  // The payload is normalised when a handler first reads it, so each kind of handler has its own cost.
  if (handler === 'text') receiver.on('message', ({ text }) => handled(text));
  if (handler === 'async') receiver.on('message', async ({ text }) => handled(text));
  if (handler === 'payload') receiver.on('message', ({ payload }) => handled(readAll(payload)));
  if (handler === 'empty') receiver.on('message', () => handled());

  if (mount === 'http') return createServer(receiver);
  if (mount === 'fastify') return inFastify(receiver);
  if (mount === 'hono') return inHono(receiver);
  const app = express();
  if (mount === 'before')
    return createServer((request, response) => receiver(request, response, () => app(request, response)));
  app.use('/webhook', receiver);
  return createServer(app);
}

/** Each framework is loaded only where it is used. */
async function inFastify(/** @type {import('../../dist/public/index.js').Receiver} */ receiver) {
  const [{ default: Fastify }, { handoffKit }] = await Promise.all([
    import('fastify'),
    import('../../dist/bindings/fastify.js'),
  ]);
  const app = Fastify();
  app.register(handoffKit, { receiver, prefix: '/webhook' });
  await app.ready();
  return app.server;
}

async function inHono(/** @type {import('../../dist/public/index.js').Receiver} */ receiver) {
  const [{ Hono }, { createAdaptorServer }, { handoffKit }] = await Promise.all([
    import('hono'),
    import('@hono/node-server'),
    import('../../dist/bindings/hono.js'),
  ]);
  const app = new Hono().use('/webhook/*', handoffKit(receiver));
  return /** @type {import('node:http').Server} */ (createAdaptorServer({ fetch: app.fetch }));
}

/**
 * Reads text, speech and usage of a message; returns the text.
 *
 * @param {import('../../dist/protocol/index.js').BotMessage} payload
 */
function readAll({ output, usage }) {
  const text = output.map(({ content }) => content.text).join('\n');
  const speech = output.flatMap(({ content }) => content.audio.map((clip) => clip.transcript));
  const { tokens, credits } = usage;
  if (speech.length === 1 && tokens.total_tokens === 1432 && credits.total_credits === 3.25) return text;
  throw new Error('the payload differs from the body that was sent');
}
