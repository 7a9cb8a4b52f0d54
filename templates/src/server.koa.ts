import { createServer } from 'node:http';
import Koa from 'koa';
// #if adapter
import { HELPDESK_PATH } from './helpdesk.js';
// #end
import { buildReceiver, settings } from './receiver.js';

const { receiver, helpdesk } = buildReceiver({ ...settings(), basePath: '/webhook' });
const app = new Koa();
app.use((context) => {
  if (context.path === '/healthz') context.body = { status: 'alive' };
});
const koa = app.callback();

// The receiver comes before Koa, so that no body parser reads its requests.
const server = createServer((request, response) => {
  // #if adapter
  if (request.url?.startsWith(HELPDESK_PATH)) {
    helpdesk.webhook(request, response);
    return;
  }
  // #end
  receiver(request, response, () => void koa(request, response));
});

await receiver.start();
const port = Number(process.env.PORT ?? 3000);
server.listen(port, () => console.log(`listening on http://localhost:${port}/webhook`));

// New requests are refused, running handlers may finish.
const stop = async () => {
  server.close();
  await receiver.close();
  await helpdesk.close();
  server.closeAllConnections();
};
process.once('SIGTERM', () => void stop()).once('SIGINT', () => void stop());
