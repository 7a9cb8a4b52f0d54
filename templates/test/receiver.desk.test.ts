import { createTestBench, type TestBench } from 'handoff-kit/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildReceiver } from '../src/receiver.js';

let built: ReturnType<typeof buildReceiver>;
let bench: TestBench;
beforeEach(async () => {
  bench = await createTestBench({
    receiver: (options) => {
      built = buildReceiver(options);
      return built.receiver;
    },
  });
});
afterEach(async () => {
  await bench.close();
  await built.helpdesk.close();
});

test('a user waits for an agent, whose reply arrives', async () => {
  const { id } = await bench.requestHandoff();
  await bench.say('Where is my order?');
  await built.receiver.conversations.reply(id, 'On its way.');
  expect((await bench.nextReply()).text).toBe('On its way.');
});

test('the availability test is answered', async () => {
  expect(await bench.probe()).toMatchObject({ status: 200 });
});
