import { createTestBench, type TestBench } from 'handoff-kit/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildReceiver } from '../src/receiver.js';

let bench: TestBench;
beforeEach(async () => {
  bench = await createTestBench({ receiver: (options) => buildReceiver(options).receiver });
});
afterEach(() => bench.close());

test('a user is greeted and answered', async () => {
  await bench.requestHandoff();
  expect((await bench.nextReply()).text).toBe('Hello, how can I help you?');
  await bench.say('Where is my order?');
  expect((await bench.nextReply()).text).toBe('You said: Where is my order?');
});

test('"bye" ends the conversation', async () => {
  await bench.requestHandoff();
  await bench.say('bye');
  await bench.idle();
  expect(bench.conversation.endedBy).toBe('agent');
});
