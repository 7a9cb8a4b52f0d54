import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/client/clock.js';
import { CLOSE, clientOf, failureOf, freePort, REPLY, rawService, serviceAnswering } from './support.js';

describe('a call ended by its caller', () => {
  test('before it begins: nothing is sent', async () => {
    const service = await serviceAnswering();
    const signal = AbortSignal.abort();
    expect(await failureOf(clientOf(service).reply(REPLY, { signal }))).toMatchObject({
      code: 'ABORTED',
      endpoint: 'reply',
      outcome: 'not-applied',
      retryable: false,
    });
    expect(service.requests).toHaveLength(0);
  });

  test('while the service is silent: who knows whether it was done', async () => {
    const controller = new AbortController();
    const service = await rawService(() => controller.abort());
    const call = clientOf(service).end(CLOSE, { signal: controller.signal });
    expect(await failureOf(call)).toMatchObject({ code: 'ABORTED', outcome: 'unknown', attempts: 1 });
    expect(service.seen()).toBe(1);
  });

  test('in the middle of the answer', async () => {
    const controller = new AbortController();
    const service = await rawService((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"code":200', () => controller.abort());
    });
    const call = clientOf(service).reply(REPLY, { signal: controller.signal });
    expect(await failureOf(call)).toMatchObject({ code: 'ABORTED', outcome: 'unknown' });
  });

  test('while it waits to try again: the wait ends at once', async () => {
    const controller = new AbortController();
    const service = await serviceAnswering({ status: 429, headers: { 'retry-after': '25' } });
    const sleep: typeof systemClock.sleep = async (ms, signal) => {
      const wait = systemClock.sleep(ms, signal);
      controller.abort();
      return wait;
    };
    const call = clientOf(service, { clock: { sleep } }).reply(REPLY, { signal: controller.signal });
    expect(await failureOf(call)).toMatchObject({ code: 'ABORTED', outcome: 'not-applied', attempts: 1 });
    expect(service.requests).toHaveLength(1);
  });

  test('after an attempt that may have been applied, the outcome stays unknown', async () => {
    const controller = new AbortController();
    const service = await serviceAnswering({ status: 500 });
    const clock = { sleep: async () => controller.abort() };
    const call = clientOf(service, { clock }).end(CLOSE, { signal: controller.signal });
    expect(await failureOf(call)).toMatchObject({ code: 'ABORTED', outcome: 'unknown', attempts: 1 });
  });

  test('while the headers are looked for: nothing is sent', async () => {
    const controller = new AbortController();
    const service = await serviceAnswering();
    const client = clientOf(service, {
      headers: () => {
        controller.abort();
        return new Promise(() => undefined);
      },
    });
    expect(await failureOf(client.reply(REPLY, { signal: controller.signal }))).toMatchObject({
      code: 'ABORTED',
      outcome: 'not-applied',
    });
    expect(service.requests).toHaveLength(0);
  });

  test('the health probe too', async () => {
    const controller = new AbortController();
    const service = await rawService(() => controller.abort());
    expect(await failureOf(clientOf(service).webhooks.health({ signal: controller.signal }))).toMatchObject({
      code: 'ABORTED',
      endpoint: 'health',
    });
  });
});

test('a signal that lives long gathers no listeners', async () => {
  const { signal } = new AbortController();
  const service = await serviceAnswering({ status: 429 }, { status: 200 });
  await clientOf(service, { clock: {}, retry: { minDelayMs: 1 } }).reply(REPLY, { signal });
  await failureOf(
    clientOf({ baseUrl: `http://127.0.0.1:${await freePort()}` }, { retry: false }).reply(REPLY, { signal }),
  );
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});
