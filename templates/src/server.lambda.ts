import { createServer } from 'node:http';
import { buildReceiver, settings } from './receiver.js';

// #if inline
// The same receiver without Lambda, to try it on your machine.
// #end
// #if postgres
// Handles the events that the function has stored. On your machine, it also takes the function's place.
// #end
const { receiver, helpdesk } = buildReceiver({ ...settings(), basePath: '/webhook' });
const server = createServer((request, response) => {
  if (request.url === '/healthz') response.end('{"status":"alive"}');
  else receiver(request, response);
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
