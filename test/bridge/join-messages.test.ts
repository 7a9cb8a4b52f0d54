import request from 'supertest';
import { describe, expect, it } from 'vitest';
import { AdapterError } from '../../src/public/adapter.js';
import { noAuth } from '../../src/public/index.js';
import { deferred } from '../helpers/deferred.js';
import { eventually } from '../helpers/eventually.js';
import { fakeDesk } from './fake-desk.js';
import { setUpBridge, sqliteDelivery } from './setup.js';

/** So slow that only the first message is sent alone. */
const SLOW = { perConversation: { count: 1, perMs: 300 } } as const;

describe('messages above the rate limit of a conversation', () => {
  it('are joined in order with durable delivery, and none is sent twice', async () => {
    const { bench, desk, bridge } = await setUpBridge({
      capabilities: { rate: SLOW },
      receiver: { delivery: await sqliteDelivery() },
    });
    await bench.requestHandoff();
    const gate = deferred();
    desk.behave({ send: async (apply) => gate.promise.then(apply) });
    await bench.say('one');
    await eventually(() => expect(desk.count('send')).toBe(1));
    for (const text of ['two', 'three', 'four']) await bench.say(text);
    gate.resolve();
    await eventually(() => expect(desk.sentTexts()).toEqual(['one', 'two\nthree\nfour']));
    await bench.say('five');
    await eventually(() => expect(desk.sentTexts()).toEqual(['one', 'two\nthree\nfour', 'five']));
    await eventually(() => expect(bridge.stats()).toMatchObject({ sent: 3 }));
  });

  it('are joined also without timestamps, and equal ones are all sent', async () => {
    const { desk, receiver } = await setUpBridge({
      capabilities: { rate: SLOW },
      receiver: { delivery: await sqliteDelivery(), auth: { message: noAuth(), handoff: noAuth() } },
    });
    const send = (path: string, body: string) =>
      request(receiver).post(path).send({ conversation_id: 'c', body }).expect(200);
    const say = (text: string) => send('/chat', text);
    await send('/conversation/establish', 'Help');
    const gate = deferred();
    desk.behave({ send: async (apply) => gate.promise.then(apply) });
    await say('ok');
    await eventually(() => expect(desk.count('send')).toBe(1));
    for (let copy = 0; copy < 3; copy += 1) await say('ok');
    gate.resolve();
    await eventually(() => expect(desk.sentTexts()).toEqual(['ok', 'ok\nok\nok']));
  });

  it.each([
    [9, ['one', 'two\nthree', 'four']],
    [8, ['one', 'two', 'three', 'four']],
  ])('are joined up to maxTextLength, and not past the close: %d', async (maxTextLength, texts) => {
    const { bench, desk } = await setUpBridge({
      capabilities: { rate: SLOW, maxTextLength },
      receiver: { delivery: await sqliteDelivery() },
    });
    await bench.requestHandoff();
    const gate = deferred();
    desk.behave({ send: async (apply) => gate.promise.then(apply) });
    await bench.say('one');
    await eventually(() => expect(desk.count('send')).toBe(1));
    for (const text of ['two', 'three', 'four']) await bench.say(text);
    await bench.closeByUser();
    gate.resolve();
    await eventually(() => expect(desk.tickets[0]?.closes).toHaveLength(1));
    expect(desk.sentTexts()).toEqual(texts);
  });

  it('are joined again after the joined message failed', async () => {
    const { bench, desk } = await setUpBridge({
      capabilities: { rate: { perConversation: { count: 1, perMs: 50 } } },
      receiver: { delivery: await sqliteDelivery() },
    });
    await bench.requestHandoff();
    const gate = deferred();
    desk.behave({
      send: async (apply, nth) => {
        await gate.promise;
        if (nth > 1 && nth < 8) throw new AdapterError('transient', 'the desk is down.');
        return apply();
      },
    });
    await bench.say('one');
    await eventually(() => expect(desk.count('send')).toBe(1));
    for (const text of ['two', 'three']) await bench.say(text);
    gate.resolve();
    await eventually(() => expect(desk.sentTexts()).toEqual(['one', 'two\nthree']));
  });

  it('are sent alone when the helpdesk refuses them together, so that only the one at fault is missing', async () => {
    const desk = fakeDesk();
    const adapter = desk.adapter();
    const plain: typeof adapter.send = (...args) => adapter.send(...args);
    const gate = deferred();
    let sends = 0;
    const send: typeof plain = async (ref, message, call) => {
      sends += 1;
      await gate.promise;
      if (message.text.includes('bad')) throw new AdapterError('invalid', 'the desk answered 422.');
      return plain(ref, message, call);
    };
    const { bench } = await setUpBridge({
      desk,
      adapter: { send },
      capabilities: { rate: SLOW },
      receiver: { delivery: await sqliteDelivery() },
    });
    await bench.requestHandoff();
    await bench.say('one');
    await eventually(() => expect(sends).toBe(1));
    for (const text of ['two', 'bad', 'three']) await bench.say(text);
    gate.resolve();
    await eventually(() => expect(desk.sentTexts()).toContain('three'));
    expect(desk.sentTexts()).toEqual([
      'one',
      'two',
      '(A message of the user could not be shown here.)',
      'three',
    ]);
  });

  it('are not joined once they were sent, before an earlier one that an operator retries', async () => {
    const { bench, desk, receiver } = await setUpBridge({
      capabilities: { rate: SLOW },
      receiver: { delivery: await sqliteDelivery() },
    });
    await bench.requestHandoff();
    const gate = deferred();
    desk.behave({ send: async (apply) => gate.promise.then(apply) });
    await bench.say('one');
    await eventually(() => expect(desk.count('send')).toBe(1));
    for (const text of ['two', 'sent before', 'three']) await bench.say(text);
    const { queues } = receiver.storage;
    for (const { id } of (await queues?.list('inbox', { state: 'waiting' })) ?? []) {
      const job = await queues?.show('inbox', id);
      if (JSON.stringify(job?.content).includes('sent before'))
        await receiver.conversations.lifecycle.store.addIdempotencyKey(
          `bridge sent ${desk.adapter().name} ${job?.key} 1`,
          60_000,
        );
    }
    gate.resolve();
    await eventually(() => expect(desk.sentTexts()).toEqual(['one', 'two\nthree']));
  });

  it('wait for their slot with inline delivery', async () => {
    const { bench, desk } = await setUpBridge({
      capabilities: { rate: { perConversation: { count: 1, perMs: 20 } } },
    });
    await bench.requestHandoff();
    await Promise.all(['one', 'two', 'three'].map((text) => bench.say(text)));
    expect(desk.sentTexts()).toEqual(['one', 'two', 'three']);
  });
});
