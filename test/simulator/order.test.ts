import { expect, test } from 'vitest';
import { botAt, startReceiver, startSimulator, until } from './support.js';

/** A receiver that answers on demand, so that deliveries in flight can be counted. */
async function startSlow() {
  const held: (() => void)[] = [];
  const receiver = await startReceiver((_received, response) => {
    held.push(() => response.end('{}'));
  });
  const answerNext = async () => {
    await until(() => held.length > 0);
    held.shift()?.();
  };
  return { ...receiver, answerNext, onTheirWay: () => held.length };
}

test("a user's messages are delivered one at a time, in order", async () => {
  const receiver = await startSlow();
  const { simulator } = await startSimulator({ bots: [botAt(receiver.url)] });
  const asking = simulator.requestHandoff();
  await receiver.answerNext();
  const conversation = await asking;
  const said = Promise.all(['a', 'b', 'c'].map((text) => conversation.say(text)));
  const closed = conversation.closeByUser();
  for (let count = 0; count < 4; count += 1) {
    await until(() => receiver.onTheirWay() > 0);
    expect(receiver.onTheirWay()).toBe(1);
    await receiver.answerNext();
  }
  await Promise.all([said, closed]);
  expect(receiver.received.slice(1).map(({ body }) => body.body ?? body.type)).toEqual([
    'a',
    'b',
    'c',
    'USER_CLOSED',
  ]);
});

test('different conversations do not wait for each other', async () => {
  const receiver = await startSlow();
  const { simulator } = await startSimulator({ bots: [botAt(receiver.url)] });
  const asking = Promise.all([simulator.requestHandoff(), simulator.requestHandoff()]);
  await until(() => receiver.onTheirWay() === 2);
  await receiver.answerNext();
  await receiver.answerNext();
  expect((await asking).map(({ state }) => state)).toEqual(['connecting', 'connecting']);
});

test('timestamps of one conversation strictly increase', async () => {
  const receiver = await startReceiver();
  const { simulator, clock } = await startSimulator({ bots: [botAt(receiver.url)] });
  const conversation = await simulator.requestHandoff();
  await conversation.say('same');
  await conversation.say('same');
  const times = receiver.received.map(({ body }) => body.timestamp);
  expect(times).toEqual([clock.now(), clock.now() + 1, clock.now() + 2]);
});

test('300 concurrent conversations all complete', async () => {
  const receiver = await startReceiver();
  const { simulator } = await startSimulator({ bots: [botAt(receiver.url)], deliveryTimeoutMs: 60_000 });
  const all = Array.from({ length: 300 }, async () => {
    const conversation = await simulator.requestHandoff();
    await conversation.say('one');
    return conversation.closeByUser();
  });
  const closed = await Promise.all(all);
  expect(closed.filter(({ accepted }) => !accepted)).toEqual([]);
  expect(receiver.received).toHaveLength(900);
});
