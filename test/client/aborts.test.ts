import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/client/clock.js';
import { freePort } from '../helpers/free-port.js';
import { CLOSE, clientOf, failureOf, platformAnswering, REPLY, rawPlatform } from './support.js';

describe('a call that its caller aborts', () => {
  test('sends nothing if it had not started', async () => {
    const platform = await platformAnswering();
    const signal = AbortSignal.abort();
    expect(await failureOf(clientOf(platform).reply(REPLY, { signal }))).toMatchObject({
      code: 'ABORTED',
      endpoint: 'reply',
      outcome: 'not-applied',
      retryable: false,
    });
    expect(platform.requests).toHaveLength(0);
  });

  test('has an unknown outcome while it waits for the answer', async () => {
    const controller = new AbortController();
    const platform = await rawPlatform(() => controller.abort());
    const call = clientOf(platform).end(CLOSE, { signal: controller.signal });
    expect(await failureOf(call)).toMatchObject({ code: 'ABORTED', outcome: 'unknown', attempts: 1 });
    expect(platform.seen()).toBe(1);
  });

  test('has an unknown outcome in the middle of the answer', async () => {
    const controller = new AbortController();
    const platform = await rawPlatform((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"code":200', () => controller.abort());
    });
    const call = clientOf(platform).reply(REPLY, { signal: controller.signal });
    expect(await failureOf(call)).toMatchObject({ code: 'ABORTED', outcome: 'unknown' });
  });

  test('stops waiting for its next attempt at once', async () => {
    const controller = new AbortController();
    const platform = await platformAnswering({ status: 429, headers: { 'retry-after': '25' } });
    const sleep: typeof systemClock.sleep = async (ms, signal) => {
      const wait = systemClock.sleep(ms, signal);
      controller.abort();
      return wait;
    };
    const call = clientOf(platform, { clock: { sleep } }).reply(REPLY, { signal: controller.signal });
    expect(await failureOf(call)).toMatchObject({ code: 'ABORTED', outcome: 'not-applied', attempts: 1 });
    expect(platform.requests).toHaveLength(1);
  });

  test('keeps an unknown outcome of an earlier attempt', async () => {
    const controller = new AbortController();
    const platform = await platformAnswering({ status: 500 });
    const clock = { sleep: async () => controller.abort() };
    const call = clientOf(platform, { clock }).end(CLOSE, { signal: controller.signal });
    expect(await failureOf(call)).toMatchObject({ code: 'ABORTED', outcome: 'unknown', attempts: 1 });
  });

  test('sends nothing while the headers option runs', async () => {
    const controller = new AbortController();
    const platform = await platformAnswering();
    const client = clientOf(platform, {
      headers: () => {
        controller.abort();
        return new Promise(() => undefined);
      },
    });
    expect(await failureOf(client.reply(REPLY, { signal: controller.signal }))).toMatchObject({
      code: 'ABORTED',
      outcome: 'not-applied',
    });
    expect(platform.requests).toHaveLength(0);
  });

  test('can be a health probe', async () => {
    const controller = new AbortController();
    const platform = await rawPlatform(() => controller.abort());
    expect(await failureOf(clientOf(platform).webhooks.health({ signal: controller.signal }))).toMatchObject({
      code: 'ABORTED',
      endpoint: 'health',
    });
  });
});

test('a long-lived signal accumulates no listeners', async () => {
  const { signal } = new AbortController();
  const platform = await platformAnswering({ status: 429 }, { status: 200 });
  await clientOf(platform, { clock: {}, retry: { minDelayMs: 1 } }).reply(REPLY, { signal });
  await failureOf(
    clientOf({ baseUrl: `http://127.0.0.1:${await freePort()}` }, { retry: false }).reply(REPLY, { signal }),
  );
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});
