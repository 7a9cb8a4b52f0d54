import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';
// #if adapter
import { HELPDESK_PATH } from './helpdesk.js';
// #end
import { buildReceiver } from './receiver.js';

const { receiver, helpdesk } = buildReceiver();
const app = await NestFactory.create(AppModule);
app.use('/webhook', receiver);
// #if adapter
app.use(HELPDESK_PATH, helpdesk.webhook);
// #end

await receiver.start();
const port = Number(process.env.PORT ?? 3000);
await app.listen(port);
console.log(`listening on http://localhost:${port}/webhook`);

// New requests are refused, running handlers may finish.
const stop = async () => {
  await receiver.close();
  await helpdesk.close();
  await app.close();
};
process.once('SIGTERM', () => void stop()).once('SIGINT', () => void stop());
