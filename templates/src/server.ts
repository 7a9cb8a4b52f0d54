import express from 'express';
// #if adapter
import { HELPDESK_PATH } from './helpdesk.js';
// #end
import { buildReceiver } from './receiver.js';

const { receiver, helpdesk } = buildReceiver();
const app = express();
app.use('/webhook', receiver);
// #if adapter
app.use(HELPDESK_PATH, helpdesk.webhook);
// #end
app.get('/healthz', (_request, response) => {
  response.json({ status: 'alive' });
});

await receiver.start();
const port = Number(process.env.PORT ?? 3000);
const server = app.listen(port, (error) => {
  if (error) throw error;
  console.log(`listening on http://localhost:${port}/webhook`);
});

// New requests are refused, running handlers may finish.
const stop = async () => {
  server.close();
  await receiver.close();
  await helpdesk.close();
  server.closeAllConnections();
};
process.once('SIGTERM', () => void stop()).once('SIGINT', () => void stop());
