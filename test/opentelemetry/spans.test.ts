import { trace } from '@opentelemetry/api';
import request from 'supertest';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startOpenTelemetry } from '../../src/opentelemetry/index.js';
import { Postponed } from '../../src/public/index.js';
import { sqliteDelivery } from '../bridge/setup.js';
import { botMessageBody, chatBody, establishBody } from '../fixtures/bodies.js';
import { chatEvent } from '../helpers/events.js';
import { flakyPlatform } from '../helpers/fake-platform.js';
import { makeReceiver, start } from '../helpers/start.js';
import { drawTree, startSdk, toPlain } from './sdk.js';

const post = ({ url }: { url: string }, path: string, body: object) => request(url).post(path).send(body);

describe('a span', () => {
  it("has the conventions' attributes, and neither messages, credentials nor tokens", async () => {
    const sdk = startSdk();
    const platform = await flakyPlatform();
    const to = await start({ platform: platform.options });
    to.receiver.on('handoff.message', ({ reply }) => reply('secret words'));
    await request(to.url)
      .post('/chat')
      .set('authorization', 'Bearer secret')
      .send(chatBody({ conversation_id: 'c-1', body: 'secret words' }));
    const spans = sdk.spans().map(toPlain);
    const port = Number(new URL(platform.options.baseUrl).port);
    expect(spans).toMatchObject([
      {
        name: 'POST /v1/human/message/receive',
        kind: 'client',
        attributes: {
          'http.request.method': 'POST',
          'http.response.status_code': 200,
          'server.address': '127.0.0.1',
          'server.port': port,
          'url.full': `${platform.options.baseUrl}/v1/human/message/receive`,
        },
      },
      {
        name: 'handle handoff.message',
        kind: 'internal',
        attributes: {
          'handoff_kit.event': 'handoff.message',
          'handoff_kit.attempt': 1,
          'handoff_kit.outcome': 'handled',
          'messaging.message.conversation_id': 'c-1',
        },
      },
      {
        name: 'POST /chat',
        kind: 'server',
        attributes: {
          'http.request.method': 'POST',
          'http.route': '/chat',
          'http.response.status_code': 200,
        },
      },
    ]);
    expect(JSON.stringify(spans)).not.toContain('secret');
  });

  it('of a stored event names the queue and the message', async () => {
    const sdk = startSdk();
    const { receiver } = makeReceiver({ delivery: await sqliteDelivery() });
    onTestFinished(async () => void (await receiver.close({ timeoutMs: 1_000 })));
    await receiver.start();
    await receiver.fetch(
      new Request('http://localhost/chat', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(chatBody({ conversation_id: 'c-1' })),
      }),
    );
    await vi.waitFor(() => expect(sdk.names()).toContain('process inbox'));
    const spans = sdk.spans().map(toPlain);
    const queue = { 'messaging.system': 'handoff_kit', 'messaging.destination.name': 'inbox' };
    expect(spans.find(({ name }) => name === 'send inbox')?.attributes).toMatchObject({
      ...queue,
      'messaging.operation.name': 'send',
      'messaging.operation.type': 'send',
      'messaging.message.conversation_id': 'c-1',
      'handoff_kit.outcome': 'stored',
    });
    expect(spans.find(({ name }) => name === 'process inbox')?.attributes).toMatchObject({
      ...queue,
      'messaging.operation.type': 'process',
      'handoff_kit.event': 'handoff.message',
    });
  });

  it('is active in handlers and middleware, whose spans are its children', async () => {
    const sdk = startSdk();
    const to = await start();
    const tracer = trace.getTracer('application');
    to.receiver.use((_context, next) =>
      tracer.startActiveSpan('middleware', async (span) => {
        await next();
        span.end();
      }),
    );
    to.receiver.on('message', async () => {
      await new Promise(setImmediate);
      tracer.startSpan('query').end();
    });
    await post(to, '/', botMessageBody());
    const spans = sdk.spans().map(toPlain);
    const find = (name: string) => spans.find((span) => span.name === name);
    expect(find('query')?.parentId).toBe(find('middleware')?.id);
    expect(find('middleware')?.parentId).toBe(find('handle message')?.id);
    expect(find('handle message')?.parentId).toBe(find('POST /')?.id);
  });

  it('of a failed handler has the error; a postponement is not an error', async () => {
    const sdk = startSdk();
    const to = await start();
    const errors = [new Postponed('later', { retryAfterMs: 1 }), new TypeError('broken')];
    to.receiver.on('message', () => {
      throw errors.shift();
    });
    expect((await post(to, '/', botMessageBody())).status).toBe(500);
    const spans = sdk.spans().filter(({ name }) => name === 'handle message');
    expect(spans.map(({ attributes }) => attributes)).toMatchObject([
      { 'handoff_kit.outcome': 'postponed' },
      { 'error.type': 'TypeError' },
    ]);
    expect(spans.map(({ status, events }) => [status.code, events.length])).toEqual([
      [0, 0],
      [2, 1],
    ]);
    expect(sdk.spans().at(-1)).toMatchObject({
      name: 'POST /',
      status: { code: 2 },
      attributes: { 'http.response.status_code': 500, 'error.type': '500' },
    });
  });

  it("of a request is a child of the application's server span", async () => {
    const sdk = startSdk();
    const { receiver } = makeReceiver();
    await trace.getTracer('http').startActiveSpan('the server', async (span) => {
      await receiver.fetch(
        new Request('http://localhost/', {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
          },
          body: JSON.stringify(botMessageBody()),
        }),
      );
      span.end();
    });
    const spans = sdk.spans().map(toPlain);
    const server = spans.find(({ name }) => name === 'the server');
    expect(spans.find(({ name }) => name === 'POST /')).toMatchObject({
      kind: 'internal',
      parentId: server?.id,
    });
    expect((await sdk.metrics()).has('http.server.request.duration')).toBe(false);
  });

  it('of an event belongs to its own trace, even if another request woke the worker', async () => {
    const delivery = await sqliteDelivery();
    const { receiver } = makeReceiver({ delivery });
    onTestFinished(async () => void (await receiver.close({ timeoutMs: 1_000 })));
    await receiver.start();
    const sdk = startSdk();
    await trace.getTracer('test').startActiveSpan('unrelated', async (span) => {
      await delivery.accept(chatEvent('c-1'));
      await vi.waitFor(() => expect(sdk.names()).toContain('process inbox'));
      span.end();
    });
    const [processed] = sdk.spans().map(toPlain);
    expect(processed).toMatchObject({ name: 'process inbox', parentId: null });
  });
});

it('the greeting of a stored handoff belongs to the trace of its request', async () => {
  const sdk = startSdk();
  const platform = await flakyPlatform();
  const delivery = await sqliteDelivery();
  const { receiver } = makeReceiver({ platform: platform.options, delivery, greeting: 'One moment' });
  onTestFinished(async () => void (await receiver.close({ timeoutMs: 1_000 })));
  await receiver.start();
  await receiver.fetch(
    new Request('http://localhost/conversation/establish', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(establishBody()),
    }),
  );
  await vi.waitFor(() => {
    expect(sdk.names()).toContain('process outbox');
    expect(sdk.names()).toContain('process inbox');
  });
  expect(drawTree(sdk.spans().map(toPlain))).toBe(`POST /conversation/establish · server
└─ send inbox · producer
   ├─ greet · internal
   │  └─ send outbox · producer
   │     └─ process outbox · consumer
   │        └─ POST /v1/human/message/receive · client
   └─ process inbox · consumer`);
});

describe('metrics', () => {
  it("have the conventions' names, with durations and counts", async () => {
    const platform = await flakyPlatform();
    const delivery = await sqliteDelivery();
    const { receiver } = makeReceiver({ platform: platform.options, delivery });
    onTestFinished(async () => void (await receiver.close({ timeoutMs: 1_000 })));
    receiver.on('handoff.message', async ({ reply }) => void (await reply('Hello')));
    const sdk = startSdk({ receivers: [receiver] });
    await receiver.start();
    await receiver.fetch(
      new Request('http://localhost/chat', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(chatBody()),
      }),
    );
    await vi.waitFor(() => expect(sdk.names()).toContain('process outbox'));
    await vi.waitFor(async () => {
      const { waiting } = (await receiver.storage.queues?.depth('outbox')) ?? {};
      expect(waiting).toBe(0);
    });
    const metrics = await sdk.metrics();
    const inbox = { 'messaging.system': 'handoff_kit', 'messaging.destination.name': 'inbox' };
    const outbox = { ...inbox, 'messaging.destination.name': 'outbox' };
    expect(metrics.get('http.server.request.duration')).toMatchObject([
      { 'http.request.method': 'POST', 'http.route': '/chat', 'http.response.status_code': 200, value: 1 },
    ]);
    expect(metrics.get('http.client.request.duration')).toMatchObject([
      { 'http.response.status_code': 200, value: 1 },
    ]);
    for (const name of ['messaging.client.sent.messages', 'messaging.client.operation.duration'])
      expect(metrics.get(name)).toMatchObject([
        { ...inbox, 'messaging.operation.name': 'send', value: 1 },
        { ...outbox, 'messaging.operation.name': 'send', value: 1 },
      ]);
    for (const name of ['messaging.client.consumed.messages', 'messaging.process.duration'])
      expect(metrics.get(name)).toMatchObject([
        { ...inbox, 'messaging.operation.name': 'process', value: 1 },
        { ...outbox, 'messaging.operation.name': 'process', value: 1 },
      ]);
    expect(metrics.get('handoff_kit.queue.size')).toMatchObject([
      { ...inbox, state: 'waiting', value: 0 },
      { ...inbox, state: 'dead', value: 0 },
      { ...outbox, state: 'waiting', value: 0 },
      { ...outbox, state: 'dead', value: 0 },
    ]);
  });
});

describe('startOpenTelemetry', () => {
  it('can be called once; after stop() nothing is traced', async () => {
    const sdk = startSdk();
    expect(() => startOpenTelemetry()).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    sdk.telemetry.stop();
    const to = await start();
    await post(to, '/', botMessageBody());
    expect(sdk.spans()).toEqual([]);
  });
});
