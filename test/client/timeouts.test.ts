import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Fetch } from '../../src/client/index.js';
import {
  CALLS,
  clientOf,
  failureOf,
  ONCE_ONLY,
  platformAnswering,
  REPEATABLE,
  REPLY,
  rawPlatform,
} from './support.js';

const SHORT = 30;

/** Counts requests at the sender, because a busy platform may read them after the timeout. */
function countingFetch() {
  let count = 0;
  const counting: Fetch = (url, init) => {
    count += 1;
    return fetch(url, init);
  };
  return { fetch: counting, sent: () => count };
}

const silent = () => rawPlatform(() => undefined);
const halfway = () =>
  rawPlatform((socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"code":200'));

describe.each([
  ['never answers', silent],
  ['stops in the middle of its answer', halfway],
])('a platform that %s', (_, start) => {
  test.each(ONCE_ONLY)('%s is sent once, and its outcome is unknown', async (name) => {
    const platform = await start();
    const { fetch, sent } = countingFetch();
    const error = await failureOf(CALLS[name](clientOf(platform, { fetch, timeoutMs: SHORT })));
    expect(error).toMatchObject({
      code: 'OUTCOME_UNKNOWN',
      status: null,
      outcome: 'unknown',
      retryable: false,
      attempts: 1,
    });
    expect(error.message).toContain('raise the time limit');
    expect(sent()).toBe(1);
  });

  test.each(REPEATABLE)('%s is retried', async (name) => {
    const platform = await start();
    const { fetch, sent } = countingFetch();
    expect(await failureOf(CALLS[name](clientOf(platform, { fetch, timeoutMs: SHORT })))).toMatchObject({
      code: 'PLATFORM_TIMEOUT',
      outcome: 'unknown',
      retryable: true,
      attempts: 4,
    });
    expect(sent()).toBe(4);
  });
});

test("a call's timeout overrides the client's", async () => {
  const platform = await silent();
  const client = clientOf(platform, { timeoutMs: 600_000 });
  expect(await failureOf(client.reply(REPLY, { timeoutMs: SHORT }))).toMatchObject({
    code: 'OUTCOME_UNKNOWN',
  });
});

test('a headers function that hangs times out before anything is sent', async () => {
  const platform = await platformAnswering();
  const client = clientOf(platform, { timeoutMs: SHORT, headers: () => new Promise(() => undefined) });
  expect(await failureOf(client.reply(REPLY))).toMatchObject({
    code: 'PLATFORM_TIMEOUT',
    outcome: 'not-applied',
    retryable: true,
    message: expect.stringContaining('headers option'),
  });
  expect(platform.requests).toHaveLength(0);
});

test('a fetch that ignores its signal does not delay the timeout', async () => {
  const client = clientOf(
    { baseUrl: 'http://127.0.0.1' },
    { timeoutMs: SHORT, fetch: () => new Promise(() => undefined) },
  );
  expect(await failureOf(client.reply(REPLY))).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
});

/**
 * A platform in another thread, which answers while this thread is paused. `paused` turns to 1 once the answer has
 * arrived and the time limit has passed.
 */
async function platformPausingSender(limitMs: number) {
  const paused = new Int32Array(new SharedArrayBuffer(4));
  const code = `
    const { createServer } = require('node:http');
    const { parentPort, workerData: { paused, limitMs } } = require('node:worker_threads');
    const server = createServer((request, response) => {
      parentPort.postMessage('received');
      response.setHeader('content-type', 'application/json');
      response.end('{"code":200,"message":"success"}');
      setTimeout(() => { Atomics.store(paused, 0, 1); Atomics.notify(paused, 0); }, limitMs + 100);
    });
    server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
  `;
  const worker = new Worker(code, { eval: true, workerData: { paused, limitMs } });
  onTestFinished(async () => void (await worker.terminate()));
  const [port] = await once(worker, 'message');
  worker.once('message', () => Atomics.wait(paused, 0, 0));
  return { baseUrl: `http://127.0.0.1:${port}` };
}

test('an answer that arrived while the process was paused counts', async () => {
  // Long enough for a busy machine to send the request.
  const limitMs = 3_000;
  const client = clientOf(await platformPausingSender(limitMs), { timeoutMs: limitMs });
  await expect(client.reply(REPLY)).resolves.toMatchObject({ code: 200 });
});
