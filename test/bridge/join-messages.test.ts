import request from 'supertest';
import { describe, expect, it } from 'vitest';
import { AdapterError } from '../../src/public/adapter.js';
import { noAuth } from '../../src/public/index.js';
import { deferred } from '../helpers/deferred.js';
import { eventually } from '../helpers/eventually.js';
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

  it('are joined up to maxTextLength, and not past the close', async () => {
    const { bench, desk } = await setUpBridge({
      capabilities: { rate: SLOW, maxTextLength: 9 },
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
    expect(desk.sentTexts()).toEqual(['one', 'two\nthree', 'four']);
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

  it('wait for their slot with inline delivery', async () => {
    const { bench, desk } = await setUpBridge({
      capabilities: { rate: { perConversation: { count: 1, perMs: 20 } } },
    });
    await bench.requestHandoff();
    await Promise.all(['one', 'two', 'three'].map((text) => bench.say(text)));
    expect(desk.sentTexts()).toEqual(['one', 'two', 'three']);
  });
});
