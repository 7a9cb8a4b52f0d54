import Fastify from 'fastify';
import { handoffKit } from 'handoff-kit/fastify';
// #if adapter
import { HELPDESK_PATH } from './helpdesk.js';
// #end
import { buildReceiver } from './receiver.js';

const { receiver, helpdesk } = buildReceiver();
const app = Fastify();
app.register(handoffKit, { receiver, prefix: '/webhook' });
// #if adapter
app.register(handoffKit, { receiver: helpdesk, prefix: HELPDESK_PATH });
// #end
app.get('/healthz', () => ({ status: 'alive' }));

await receiver.start();
const port = Number(process.env.PORT ?? 3000);
await app.listen({ port, host: '0.0.0.0' });
console.log(`listening on http://localhost:${port}/webhook`);

// New requests are refused, running handlers may finish.
const stop = async () => {
  await receiver.close();
  await helpdesk.close();
  await app.close();
};
process.once('SIGTERM', () => void stop()).once('SIGINT', () => void stop());
