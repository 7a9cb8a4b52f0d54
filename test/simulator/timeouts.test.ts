import { expect, test } from 'vitest';
import { botAt, replyTo, startReceiver, startSimulator } from './support.js';

async function start(options: { waitTimeoutMs?: number; idleTimeoutMs?: number } = {}) {
  const receiver = await startReceiver();
  return { receiver, ...(await startSimulator({ bots: [botAt(receiver.url)], ...options })) };
}

test('without a first reply within 60 s the handoff ends with TIMEOUT', async () => {
  const { receiver, simulator, call, clock } = await start();
  const conversation = await simulator.requestHandoff();
  clock.advance(59_999);
  expect(conversation.state).toBe('connecting');
  clock.advance(1);
  expect(conversation).toMatchObject({ state: 'closed', endedBy: 'timeout' });
  await simulator.idle();
  expect(receiver.received[1]).toMatchObject({
    path: '/webhook/conversation/close',
    body: { conversation_id: conversation.id, type: 'TIMEOUT', timestamp: clock.now() },
  });
  expect((await replyTo(call, conversation.id, 'too late')).body.code).toBe(40356);
});

test('messages of the user do not extend the wait timeout', async () => {
  const { simulator, clock } = await start({ waitTimeoutMs: 1_000 });
  const conversation = await simulator.requestHandoff();
  clock.advance(900);
  await conversation.say('Hello?');
  clock.advance(100);
  expect(conversation.endedBy).toBe('timeout');
});

test('a first reply in time cancels the wait timeout', async () => {
  const { simulator, call, clock } = await start();
  const conversation = await simulator.requestHandoff();
  clock.advance(59_999);
  await replyTo(call, conversation.id, 'Here I am');
  clock.advance(24 * 3_600_000);
  expect(conversation.state).toBe('connected');
});

test('silence ends a connected conversation when an idle timeout is set', async () => {
  const { receiver, simulator, call, clock } = await start({ idleTimeoutMs: 1_000 });
  const conversation = await simulator.requestHandoff();
  await replyTo(call, conversation.id, 'Here I am');
  clock.advance(900);
  await conversation.say('One moment');
  clock.advance(900);
  await replyTo(call, conversation.id, 'Take your time');
  clock.advance(999);
  expect(conversation.state).toBe('connected');
  clock.advance(1);
  await simulator.idle();
  expect(conversation.endedBy).toBe('timeout');
  expect(receiver.received.at(-1)?.body.type).toBe('TIMEOUT');
});

test('an ended conversation does not time out again', async () => {
  const { receiver, simulator, clock } = await start();
  const conversation = await simulator.requestHandoff();
  await conversation.closeByUser();
  clock.advance(120_000);
  await simulator.idle();
  expect(receiver.paths()).toEqual(['/webhook/conversation/establish', '/webhook/conversation/close']);
  expect(conversation.endedBy).toBe('user');
});
