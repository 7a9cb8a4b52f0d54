// @ts-check
// npx vitest run --root examples/testing
import { createTestBench } from 'handoff-kit/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createOrderDesk } from './order-desk.js';

/** @type {import('handoff-kit/testing').TestBench} */
let bench;
beforeEach(async () => {
  bench = await createTestBench({ receiver: (options) => createOrderDesk(options) });
});
afterEach(() => bench.close());

test('greets, finds the order and says goodbye', async () => {
  await bench.requestHandoff();
  expect((await bench.nextReply()).text).toBe('Hello, which order is it about?');

  await bench.say('Where is order 12345?');
  expect((await bench.nextReply()).text).toBe('Order 12345 is on its way.');
  expect(bench.conversation.endedBy).toBe('agent');
});

test('replies once, even if the message is delivered three times', async () => {
  await bench.requestHandoff();
  bench.faults.set('duplicate', { copies: 3, on: ['chat'] });
  await bench.say('Hello?');
  expect(bench.replies.map(({ text }) => text)).toEqual([
    'Hello, which order is it about?',
    'Please send me your order number.',
  ]);
});
