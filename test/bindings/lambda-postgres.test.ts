import { expect, it } from 'vitest';
import { lambdaHandler } from '../../src/bindings/lambda.js';
import { postgres } from '../../src/delivery/postgres/index.js';
import { createReceiver, noAuth } from '../../src/public/index.js';
import { chatBody, establishBody } from '../fixtures/bodies.js';
import { fakePlatform } from '../helpers/fake-platform.js';
import { logLines } from '../helpers/log-lines.js';
import { type PostgresStore, postgresStore } from '../helpers/postgres.js';
import { toEventV2 } from './api-gateway.js';

const auth = { message: noAuth(), handoff: noAuth() };
const where = ({ connectionString, schema }: PostgresStore) => ({ connectionString, schema });

const eventOf = (url: string, body: object) =>
  toEventV2({
    method: 'POST',
    url,
    rawHeaders: ['Content-Type', 'application/json'],
    sourceIp: '203.0.113.7',
    body: Buffer.from(JSON.stringify(body)),
  });

it('a function on Lambda stores events, and another process handles them', async () => {
  const store = await postgresStore();
  const platform = await fakePlatform();
  const logged = logLines();
  const receiver = createReceiver({
    auth,
    unhandled: 'accept',
    delivery: postgres({ ...where(store), storeOnly: true }),
    log: logged.log,
  });
  const handler = lambdaHandler(receiver);
  const request = establishBody();
  const chat = chatBody({ conversation_id: request.conversation_id });
  for (const [path, body] of [
    ['/conversation/establish', request],
    ['/chat', chat],
    ['/chat', chat],
  ] as const) {
    expect((await handler(eventOf(path, body))).statusCode).toBe(200);
  }
  await receiver.close();
  expect(platform.calls).toEqual([]);

  const worker = createReceiver({
    auth,
    platform: platform.options,
    greeting: 'One moment, please.',
    delivery: postgres({ ...where(store), pollMs: 50 }),
    log: false,
  })
    .on('handoff.requested', () => undefined)
    .on('handoff.message', ({ text, reply }) => reply(`You said: ${text}`));
  await worker.start();
  await platform.came(2);
  await worker.close();
  expect(platform.calls.map(({ body }) => body)).toMatchObject([
    { conversation_id: request.conversation_id, body: 'One moment, please.' },
    { conversation_id: request.conversation_id, body: 'You said: Are you there?' },
  ]);
  expect(logged.lines().filter(({ level }) => level > 40)).toEqual([]);
});

it('a receiver that only stores cannot be started', async () => {
  const store = await postgresStore();
  const delivery = postgres({ ...where(store), storeOnly: true });
  const receiver = createReceiver({ auth, delivery, log: false });
  await expect(receiver.start()).rejects.toThrow(/call start\(\) in the process that handles them/);
  await receiver.close();
});

it('starting a receiver on Lambda is an error, with the reason', async () => {
  const store = await postgresStore();
  const receiver = createReceiver({ auth, delivery: postgres(where(store)), log: false });
  const handler = lambdaHandler(receiver);
  await receiver.start();
  await expect(handler(eventOf('/chat', chatBody()))).rejects.toThrow(/frozen between requests/);
  await receiver.close();
});
