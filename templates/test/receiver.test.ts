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

test('the availability test is answered', async () => {
  expect(await bench.probe()).toMatchObject({ status: 200 });
});

// No server listens at the address in vitest.config.{{language}}.
test('a user is told that no agent is free while the helpdesk is down', async () => {
  await bench.requestHandoff();
  expect(bench.conversation.state).toBe('busy');
});
