import { expect, test } from 'vitest';
import { botAt, replyTo, startReceiver, startSimulator } from './support.js';

async function start() {
  const receiver = await startReceiver();
  const started = await startSimulator({ bots: [botAt(receiver.url)] });
  return { ...started, conversation: await started.simulator.requestHandoff() };
}

test('answerError answers 500 with a failure body, and the reply is dropped', async () => {
  const { simulator, call, conversation } = await start();
  simulator.faults.set('answerError', { times: 1 });
  expect(await replyTo(call, conversation.id, 'one')).toMatchObject({
    status: 500,
    body: { code: 50000, message: 'Internal system error' },
  });
  expect(conversation.replies).toEqual([]);
  expect((await replyTo(call, conversation.id, 'one')).status).toBe(200);
});

test('answerThrottle answers 429 with Retry-After for a limited time', async () => {
  const { simulator, call, conversation, clock } = await start();
  simulator.faults.set('answerThrottle', { retryAfterSeconds: 7, forMs: 7_000 });
  const answer = await replyTo(call, conversation.id, 'one');
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '7']);
  clock.advance(7_000);
  expect((await replyTo(call, conversation.id, 'one')).status).toBe(200);
  expect(conversation.replies).toHaveLength(1);
});

test('answerNothing never answers, and the log records that the caller gave up', async () => {
  const { simulator, baseUrl, call, conversation } = await start();
  simulator.faults.set('answerNothing', { times: 1 });
  const caller = new AbortController();
  const waiting = fetch(`${baseUrl}/v1/human/message/receive`, {
    method: 'POST',
    body: '{}',
    signal: caller.signal,
  });
  const givenUp = expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
  await expect.poll(() => simulator.traffic.exchanges().at(-1)?.faults).toEqual(['answerNothing']);
  caller.abort();
  await givenUp;
  await expect
    .poll(() => simulator.traffic.exchanges().at(-1))
    .toMatchObject({ faults: ['answerNothing'], answer: null, error: 'not answered: the caller gave up' });
  expect((await replyTo(call, conversation.id, 'one')).status).toBe(200);
});

test('an unanswered caller does not prevent the simulator from closing', async () => {
  const { simulator, call, conversation } = await start();
  simulator.faults.set('answerNothing');
  const waiting = expect(replyTo(call, conversation.id, 'one')).rejects.toThrow();
  await expect.poll(() => simulator.traffic.exchanges().at(-1)?.faults).toEqual(['answerNothing']);
  await simulator.close();
  await waiting;
});

test('faults apply to other endpoints if these are named', async () => {
  const { simulator, call, conversation } = await start();
  simulator.faults.set('answerError', { on: ['addQa', 'updateQa'] });
  expect((await call('POST', '/v1/bot/doc/qa/add', {})).body.code).toBe(50000);
  expect((await call('PUT', '/v1/bot/doc/qa/update', {})).body.code).toBe(50000);
  expect((await replyTo(call, conversation.id, 'one')).status).toBe(200);
});
