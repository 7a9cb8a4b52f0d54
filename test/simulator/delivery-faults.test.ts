import { describe, expect, test } from 'vitest';
import { botAt, startReceiver, startSimulator, until } from './support.js';

async function start() {
  const receiver = await startReceiver();
  const started = await startSimulator({ bots: [botAt(receiver.url)] });
  const conversation = await started.simulator.requestHandoff();
  receiver.received.length = 0;
  return { receiver, ...started, conversation, texts: () => receiver.received.map(({ body }) => body.body) };
}

test('duplicate sends the same bytes again', async () => {
  const { simulator, receiver, conversation } = await start();
  simulator.faults.set('duplicate', { copies: 3 });
  const delivery = await conversation.say('hello');
  expect(receiver.received).toHaveLength(3);
  expect(new Set(receiver.received.map(({ text }) => text)).size).toBe(1);
  expect(delivery.copies).toHaveLength(2);
});

describe('reorder', () => {
  test('sends the next delivery of the conversation first', async () => {
    const { simulator, conversation, texts } = await start();
    simulator.faults.set('reorder', { times: 1 });
    await Promise.all([conversation.say('first'), conversation.say('second'), conversation.say('third')]);
    expect(texts()).toEqual(['second', 'first', 'third']);
  });

  test('waits for the next delivery if there is none yet', async () => {
    const { simulator, conversation, texts } = await start();
    simulator.faults.set('reorder', { times: 1 });
    const first = conversation.say('first');
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
    await Promise.all([first, conversation.say('second')]);
    expect(texts()).toEqual(['second', 'first']);
  });

  test('sends the held delivery after holdMs', async () => {
    const { simulator, conversation, texts, clock } = await start();
    simulator.faults.set('reorder', { holdMs: 1_000 });
    const first = conversation.say('first');
    await Promise.resolve();
    await Promise.resolve();
    clock.advance(1_000);
    await first;
    expect(texts()).toEqual(['first']);
  });
});

test('delay holds a delivery back', async () => {
  const { simulator, conversation, texts, clock } = await start();
  simulator.faults.set('delay', { delayMs: 5_000 });
  const saying = conversation.say('late');
  await new Promise((resolve) => {
    setTimeout(resolve, 30);
  });
  expect(texts()).toEqual([]);
  clock.advance(5_000);
  await saying;
  expect(texts()).toEqual(['late']);
});

describe('drop', () => {
  test('breaks the connection in the middle of the body', async () => {
    const { simulator, receiver, conversation } = await start();
    simulator.faults.set('drop', { times: 1 });
    const delivery = await conversation.say('hello, is anybody there?');
    expect(delivery).toMatchObject({
      status: null,
      accepted: false,
      error: expect.stringMatching('dropped'),
    });
    await until(() => receiver.received.length === 1);
    const [cut] = receiver.received;
    expect(cut?.whole).toBe(false);
    expect(cut?.text.length).toBeGreaterThan(0);
    expect(cut?.text.length).toBeLessThan(Number(cut?.headers['content-length']));
  });

  test('breaks the connection before the answer is read, after the receiver handled it', async () => {
    const { simulator, conversation, texts } = await start();
    simulator.faults.set('drop', { at: 'answer' });
    expect((await conversation.say('hello')).status).toBeNull();
    expect(texts()).toEqual(['hello']);
  });

  test('can send the delivery again afterwards', async () => {
    const { simulator, receiver, conversation } = await start();
    simulator.faults.set('drop', { resend: true });
    const delivery = await conversation.say('hello');
    expect(delivery).toMatchObject({ status: 200, accepted: true, copies: [{ status: null }] });
    await until(() => receiver.received.length === 2);
    expect(receiver.received.filter(({ whole }) => whole).map(({ body }) => body.body)).toEqual(['hello']);
  });
});

test('mirror sends the same event to a second URL at the same time', async () => {
  const { simulator, conversation, texts } = await start();
  const second = await startReceiver();
  simulator.faults.set('mirror', { url: second.url });
  const delivery = await conversation.say('hello');
  expect(texts()).toEqual(['hello']);
  expect(second.received.map(({ body }) => body.body)).toEqual(['hello']);
  expect(delivery.copies).toMatchObject([{ url: second.url, status: 200 }]);
});

describe('every fault', () => {
  test('applies as many times as configured', async () => {
    const { simulator, receiver, conversation } = await start();
    simulator.faults.set('duplicate', { times: 2 });
    await conversation.say('1');
    expect(simulator.faults.active().duplicate).toMatchObject({ times: 1 });
    await conversation.say('2');
    expect(simulator.faults.active()).toEqual({});
    await conversation.say('3');
    expect(receiver.received).toHaveLength(5);
  });

  test('stays on as long as configured', async () => {
    const { simulator, receiver, conversation, clock } = await start();
    simulator.faults.set('duplicate', { forMs: 1_000 });
    clock.advance(999);
    await conversation.say('1');
    clock.advance(1);
    await conversation.say('2');
    expect(receiver.received).toHaveLength(3);
  });

  test('applies to the named deliveries only, and to probes only if named', async () => {
    const { simulator, receiver, conversation } = await start();
    simulator.faults.set('duplicate', { on: ['close'] });
    await conversation.say('1');
    expect(receiver.received).toHaveLength(1);
    await conversation.closeByUser();
    expect(receiver.received).toHaveLength(3);
    simulator.faults.set('duplicate');
    await simulator.probe({ componentId: 'desk-1' });
    expect(receiver.received).toHaveLength(4);
  });

  test('can be combined with others', async () => {
    const { simulator, receiver, conversation } = await start();
    simulator.faults.set('duplicate');
    simulator.faults.set('wrongCredentials');
    await conversation.say('hello');
    expect(receiver.received.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer wrong-username',
      'Bearer wrong-username',
    ]);
    expect(simulator.traffic.exchanges().at(-1)?.faults).toEqual(['wrongCredentials', 'duplicate']);
    simulator.faults.clear();
    expect(simulator.faults.active()).toEqual({});
  });

  test('is reported by onChange after it has changed', async () => {
    const { simulator, conversation } = await start();
    const { faults } = simulator;
    const seen: unknown[] = [];
    const stop = faults.onChange(() => seen.push(faults.active().duplicate?.times ?? null));
    faults.set('duplicate', { times: 2 });
    await conversation.say('1');
    faults.clear('duplicate');
    stop();
    faults.set('duplicate', { times: 5 });
    expect(seen).toEqual([2, 1, null]);
  });

  test('refuses unknown settings', async () => {
    const { simulator } = await start();
    expect(() => simulator.faults.setFrom('mirror', {})).toThrow('fault mirror: url: expected the http');
    expect(() => simulator.faults.setFrom('delay', { delayMs: -1 })).toThrow('delayMs');
    expect(() => simulator.faults.setFrom('delay', { delay: 5 })).toThrow('delay');
  });
});
