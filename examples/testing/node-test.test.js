// @ts-check
// node --test examples/testing/node-test.test.js
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { createTestBench } from 'handoff-kit/testing';
import { createOrderDesk } from './order-desk.js';

/** @type {import('handoff-kit/testing').TestBench} */
let bench;
beforeEach(async () => {
  bench = await createTestBench({ receiver: (options) => createOrderDesk(options) });
});
afterEach(() => bench.close());

await test('greets, finds the order and says goodbye', async () => {
  await bench.requestHandoff();
  assert.equal((await bench.nextReply()).text, 'Hello, which order is it about?');

  await bench.say('Where is order 12345?');
  assert.equal((await bench.nextReply()).text, 'Order 12345 is on its way.');
  assert.equal(bench.conversation.endedBy, 'agent');
});

await test('two concurrent users get their own answers', async () => {
  const ada = await bench.requestHandoff({ user: { userId: 'ada' } });
  const grace = await bench.requestHandoff({ user: { userId: 'grace' } });
  await Promise.all([ada.nextReply(), grace.nextReply()]);

  await Promise.all([ada.say('Order 1111, please'), grace.say('Order 2222, please')]);
  assert.equal((await ada.nextReply()).text, 'Order 1111 is on its way.');
  assert.equal((await grace.nextReply()).text, 'Order 2222 is on its way.');
});
