import { afterEach, describe, expect, test } from 'vitest';
import {
  createReceiver,
  inline,
  noAuth,
  type Receiver,
  type ReceiverOptions,
} from '../../src/public/index.js';

const receivers: Receiver[] = [];
afterEach(() => Promise.all(receivers.splice(0).map((receiver) => receiver.close())));

function openReceiver(options: Partial<ReceiverOptions> = {}): Receiver {
  const receiver = createReceiver({
    auth: { message: noAuth(), handoff: noAuth() },
    basePath: '/webhook',
    log: false,
    ...options,
  });
  receivers.push(receiver);
  return receiver;
}

const post = (
  path: string,
  body: string | ReadableStream<Uint8Array>,
  headers: Record<string, string> = {},
): Request =>
  new Request(`http://host.example${path}`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body instanceof ReadableStream && { duplex: 'half' }),
  });

const CHAT = JSON.stringify({ conversation_id: 'c1', body: 'héllo', timestamp: 1_700_000_000_001 });

describe('receiver.fetch', () => {
  test('handles an event and answers like the endpoint', async () => {
    const texts: string[] = [];
    const receiver = openReceiver().on('handoff.message', ({ text }) => void texts.push(text));
    const response = await receiver.fetch(post('/webhook/chat', CHAT, { 'x-request-id': 'r1' }));
    expect(texts).toEqual(['héllo']);
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('{"code":200,"message":"success"}');
    expect(Object.fromEntries(response.headers)).toEqual({
      'content-type': 'application/json',
      'content-length': '32',
      'x-request-id': 'r1',
    });
  });

  test('answers 404 outside its paths', async () => {
    const response = await openReceiver().fetch(post('/other', CHAT));
    expect(response.status).toBe(404);
  });

  test('reports a body that was already read', async () => {
    const request = post('/webhook/chat', CHAT);
    await request.text();
    const response = await openReceiver().fetch(request);
    expect([response.status, await response.json()]).toEqual([
      500,
      { code: 500, message: 'body not available' },
    ]);
  });

  test('a body over the limit is refused without reading the rest', async () => {
    let chunks = 0;
    let isCancelled = false;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        chunks += 1;
        controller.enqueue(new Uint8Array(1_000).fill(32));
      },
      cancel() {
        isCancelled = true;
      },
    });
    const response = await openReceiver({ limits: { bodyBytes: 5_000 } }).fetch(
      post('/webhook/chat', endless),
    );
    expect(response.status).toBe(413);
    expect(isCancelled).toBe(true);
    expect(chunks).toBeLessThan(10);
  });

  test('a body that does not end is refused after the time limit', async () => {
    const silent = new ReadableStream<Uint8Array>({});
    const response = await openReceiver({ limits: { readTimeoutMs: 20 } }).fetch(
      post('/webhook/chat', silent),
    );
    expect(response.status).toBe(408);
  });

  test('a broken connection delivers nothing', async () => {
    const texts: string[] = [];
    const receiver = openReceiver().on('handoff.message', ({ text }) => void texts.push(text));
    const broken = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(CHAT));
        controller.error(new Error('connection lost'));
      },
    });
    const response = await receiver.fetch(post('/webhook/chat', broken));
    expect(response.status).toBe(499);
    expect(texts).toEqual([]);
  });

  test('waitUntil gets the work after the answer', async () => {
    const steps: string[] = [];
    const receiver = openReceiver().on('probe', async () => {
      await new Promise((resolve) => setImmediate(resolve));
      steps.push('observed');
    });
    let work: Promise<void> | undefined;
    const waitUntil = (promise: Promise<void>): void => {
      work = promise;
    };
    await receiver.fetch(post('/webhook', '{"istest":true}'), { waitUntil });
    steps.push('answered');
    await work;
    expect(steps).toEqual(['answered', 'observed']);
  });
});

describe('receiver.handle', () => {
  test('resolves when a handler that outlasts the answer has finished', async () => {
    const steps: string[] = [];
    let finish: () => void = () => undefined;
    const receiver = openReceiver({ delivery: inline({ ackDeadlineMs: 1 }) }).on(
      'handoff.message',
      async () => {
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
        steps.push('handled');
      },
    );
    const headers = { 'content-type': 'application/json' };
    const request = { method: 'POST', url: '/webhook/chat', headers, read: () => Buffer.from(CHAT) };
    await receiver.handle(request, ({ status }) => {
      steps.push(`answered ${status}`);
      setTimeout(finish, 5);
    });
    expect(steps).toEqual(['answered 200', 'handled']);
  });

  test('returns null for other paths', () => {
    const receiver = openReceiver();
    const request = { method: 'POST', url: '/other', headers: {}, read: null };
    expect(receiver.handle(request, () => undefined)).toBeNull();
  });

  test('accepts a body that the server has read', async () => {
    const texts: string[] = [];
    const receiver = openReceiver().on('handoff.message', ({ text }) => void texts.push(text));
    const answers: number[] = [];
    const headers = { 'content-type': 'application/json' };
    const request = {
      method: 'POST',
      url: '/webhook/chat',
      headers,
      read: () => Buffer.from(CHAT),
    };
    await receiver.handle(request, ({ status }) => void answers.push(status));
    expect([answers, texts]).toEqual([[200], ['héllo']]);
  });

  test('answers 500 when the answer cannot be sent, and reports each failure', async () => {
    const errors: unknown[] = [];
    const receiver = openReceiver()
      .on('handoff.message', () => undefined)
      .onError(({ error }) => void errors.push(error));
    const headers = { 'content-type': 'application/json' };
    const request = { method: 'POST', url: '/webhook/chat', headers, read: () => Buffer.from(CHAT) };
    const statuses: number[] = [];
    await receiver.handle(request, ({ status }) => {
      statuses.push(status);
      throw new Error('the connection is gone');
    });
    expect(statuses).toEqual([200, 500]);
    expect(errors).toHaveLength(2);
  });
});
