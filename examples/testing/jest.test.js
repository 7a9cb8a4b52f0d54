// @ts-check
// npm --prefix examples/testing/jest ci && npm --prefix examples/testing/jest test
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createTestBench } from 'handoff-kit/testing';
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

test('accepts no message after the user has left', async () => {
  await bench.requestHandoff();
  await bench.closeByUser();
  await expect(bench.say('Hello?')).rejects.toMatchObject({ code: 'CONVERSATION_OVER' });
});
