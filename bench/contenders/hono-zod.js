import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import { botMessage, messageText } from '../../dist/protocol/index.js';
import { authorized } from './credentials.js';

/** A hand-written receiver with the project's own schema. @type {import('./index.js').CreateServer} */
export function create({ handled }) {
  const app = new Hono();
  app.post('/webhook', async (c) => {
    if (!authorized(c.req.header('authorization'))) return c.json({ code: 401, msg: 'unauthorized' }, 401);
    const { success, data } = botMessage.safeParse(await c.req.json());
    if (!success) return c.json({ code: 400, msg: 'invalid body' }, 400);
    handled(messageText(data));
    return c.json({ code: 200, msg: 'success' });
  });
  return /** @type {import('node:http').Server} */ (createAdaptorServer({ fetch: app.fetch }));
}
