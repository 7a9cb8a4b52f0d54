import type { IncomingMessage, ServerResponse } from 'node:http';
import express from 'express';
import { describe, expect, it, onTestFinished } from 'vitest';
import { basic, bearer, createReceiver, noAuth, pathToken, webhookUser } from '../../src/public/index.js';
import { type BenchReceiverOptions, createTestBench } from '../../src/testing/index.js';
import { closeAfterTest, echoReceiver, errorOf } from './support.js';

const token = 'a-token-of-16-or-more';
const message = webhookUser({ username: 'acme', secret: 'the-secret' });
const address = { username: 'acme', secret: 'the-secret', token };

const appAtWebhook = async (options: BenchReceiverOptions) =>
  express().use('/webhook', echoReceiver(options));

const expectAnEcho = async (bench: Awaited<ReturnType<typeof createTestBench>>) => {
  await bench.requestHandoff();
  await bench.say('hello');
  expect(await bench.nextReply()).toMatchObject({ text: 'You said: hello' });
  expect(await bench.botMessage('an answer')).toMatchObject({ status: 200 });
};

describe('receivers that a bench accepts', () => {
  it("a function that creates a receiver from the bench's options", async () => {
    const bench = await createTestBench({ receiver: (options) => echoReceiver(options) });
    await expectAnEcho(closeAfterTest(bench));
    expect((await fetch(bench.url, { method: 'POST' })).status).toBe(401);
  });

  it('an async function that creates an app with a path', async () => {
    const bench = await createTestBench({ receiver: appAtWebhook, path: '/webhook/' });
    await expectAnEcho(closeAfterTest(bench));
    expect(new URL(bench.url).pathname).toBe('/webhook');
  });

  it('a function with credentials chosen by the test', async () => {
    const bench = await createTestBench({
      receiver: (options) => echoReceiver(options),
      username: 'acme',
      token,
    });
    await expectAnEcho(closeAfterTest(bench));
    const headers = { authorization: 'Bearer acme', 'content-type': 'application/json' };
    const body = '{"istest":true}';
    expect((await fetch(bench.url, { method: 'POST', headers, body })).status).toBe(200);
    expect((await fetch(`${bench.url}${token}/chat`, { method: 'POST', headers, body })).status).toBe(200);
  });

  it("an app that reads the platform's address from its environment", async () => {
    const bench = closeAfterTest(await createTestBench());
    process.env.BENCH_PLATFORM_URL = bench.platform.baseUrl;
    onTestFinished(() => {
      delete process.env.BENCH_PLATFORM_URL;
    });
    const platform = { baseUrl: process.env.BENCH_PLATFORM_URL, apiKey: bench.platform.apiKey };
    const app = express();
    app.use('/webhook', echoReceiver({ auth: { message, handoff: pathToken(token) }, platform }));
    await bench.connect(app, { path: '/webhook', ...address });
    await expectAnEcho(bench);
  });

  it('a function passed to connect', async () => {
    const bench = closeAfterTest(await createTestBench());
    await bench.connect((options) => echoReceiver(options));
    await expectAnEcho(bench);
  });

  it('an existing receiver', async () => {
    const receiver = createReceiver({ auth: { message, handoff: pathToken(token) }, log: false }).on(
      'handoff.requested',
      () => undefined,
    );
    const bench = closeAfterTest(await createTestBench({ receiver, ...address }));
    expect((await bench.requestHandoff()).state).toBe('connecting');
    expect(await bench.botMessage()).toMatchObject({ status: 200 });
  });

  it('any request listener, without credentials', async () => {
    const paths: unknown[] = [];
    const bench = await createTestBench({
      receiver: (request: IncomingMessage, response: ServerResponse) => {
        paths.push([request.url, request.headers.authorization]);
        response.end();
      },
    });
    closeAfterTest(bench);
    await bench.requestHandoff();
    await bench.say('hello');
    await bench.closeByUser();
    await bench.botMessage();
    expect(paths).toEqual([
      ['/conversation/establish', undefined],
      ['/chat', undefined],
      ['/conversation/close', undefined],
      ['/', undefined],
    ]);
  });

  it.each([
    ['Bearer', bearer('the-bearer'), { username: 'the-bearer' }],
    ['Basic', basic({ username: 'u', password: 'the-password' }), { username: 'u', secret: 'the-password' }],
    [
      'a header',
      ({ headers }: { headers: NodeJS.Dict<string | string[]> }) => headers['x-key'] === 'the-key',
      { headers: { 'x-key': 'the-key' } },
    ],
  ])('handoff endpoints that require %s, at their own path', async (_name, handoff, credentials) => {
    const app = express();
    app.use('/handoff', echoReceiver({ auth: { message: false, handoff } }));
    const where = { message: false, handoff: { path: '/handoff', ...credentials } } as const;
    const bench = closeAfterTest(await createTestBench({ receiver: app, ...where }));
    expect((await bench.requestHandoff()).state).toBe('connecting');
    expect(await errorOf(bench.botMessage())).toMatchObject({ code: 'NO_MESSAGE_WEBHOOK' });
  });
});

describe('a base URL that ends in a slash', () => {
  it('reaches a receiver', async () => {
    const app = express().use('/handoff', echoReceiver({ auth: { message: false, handoff: noAuth() } }));
    const where = { message: false, handoff: { path: '/handoff/' } } as const;
    const bench = closeAfterTest(await createTestBench({ receiver: app, ...where }));
    expect((await bench.requestHandoff()).state).toBe('connecting');
    expect((await bench.say('hello')).url).toContain('/handoff//chat');
    expect(await bench.closeByUser()).toMatchObject({ status: 200 });
    expect(await bench.simulator.probe({ componentId: 'human-service' })).toMatchObject({ status: 200 });
  });
});

describe('receivers that a bench refuses', () => {
  it.each([
    ['an object', { receiver: {} }, 'receiver is a value of type object. Pass one of'],
    ['null', { receiver: null }, 'receiver is null. Pass one of'],
    [
      'a function that returns nothing',
      { receiver: () => {} },
      'returned a value of type undefined. Pass one of',
    ],
    ['a path without a slash', { receiver: () => noAuth, path: 'webhook' }, 'a path starts with "/"'],
    ['a secret alone', { receiver: () => noAuth, secret: 's' }, 'a secret needs a username'],
  ])('%s', async (_name, options, text) => {
    const error = await errorOf(Reflect.apply(createTestBench, undefined, [options]));
    expect(error.code).toBe('INVALID_RECEIVER');
    expect(error.message).toContain(text);
  });

  it('a second receiver', async () => {
    const bench = closeAfterTest(await createTestBench({ receiver: (options) => echoReceiver(options) }));
    const error = await errorOf(bench.connect((options) => echoReceiver(options)));
    expect(error).toMatchObject({
      code: 'ALREADY_CONNECTED',
      message: 'this bench already has a receiver: create another bench.',
    });
  });
});
