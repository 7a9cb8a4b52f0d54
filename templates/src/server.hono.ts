import { serve } from '@hono/node-server';
import { handoffKit } from 'handoff-kit/hono';
import { Hono } from 'hono';
// #if adapter
import { HELPDESK_PATH } from './helpdesk.js';
// #end
import { buildReceiver } from './receiver.js';

const { receiver, helpdesk } = buildReceiver();
const app = new Hono();
app.use('/webhook/*', handoffKit(receiver));
// #if adapter
app.use(`${HELPDESK_PATH}/*`, handoffKit(helpdesk));
// #end
app.get('/healthz', (context) => context.json({ status: 'alive' }));

await receiver.start();
const port = Number(process.env.PORT ?? 3000);
const server = serve({ fetch: app.fetch, port }, () =>
  console.log(`listening on http://localhost:${port}/webhook`),
);

// New requests are refused, running handlers may finish.
const stop = async () => {
  server.close();
  await receiver.close();
  await helpdesk.close();
};
process.once('SIGTERM', () => void stop()).once('SIGINT', () => void stop());
