import { setImmediate as turn } from 'node:timers/promises';
import request from 'supertest';
import { describe, expect, it } from 'vitest';
import { botMessageBody, chatBody } from '../fixtures/bodies.js';
import { deferred } from '../helpers/deferred.js';
import { chatEvent } from '../helpers/events.js';
import { start, startInline } from '../helpers/start.js';

describe('the events of one conversation', () => {
  it('are handled one at a time, in order', async () => {
    const order: string[] = [];
    const { delivery } = startInline(async ({ key }) => {
      order.push(`${key} begins`);
      // Later events take less time: without a queue per conversation, the last would finish first.
      for (let rest = 5 - Number(key); rest > 0; rest -= 1) await turn();
      order.push(`${key} ends`);
    });
    const keys = ['1', '2', '3', '4', '5'];
    const accepted = await Promise.all(keys.map((key) => delivery.accept(chatEvent('c', { key }))));
    expect(accepted).toEqual(keys.map(() => 'handled'));
    expect(order).toEqual(keys.flatMap((key) => [`${key} begins`, `${key} ends`]));
    expect((await delivery.stats()).pending).toBe(0);
  });

  it('are handled after an event failed', async () => {
    const { delivery } = startInline(({ key }) => {
      if (key === 'bad') throw new Error('no');
    });
    const accepted = ['good', 'bad', 'better'].map((key) => delivery.accept(chatEvent('c', { key })));
    expect(await Promise.all(accepted)).toEqual(['handled', 'failed', 'handled']);
  });

  it('wait for each other over real connections too', async () => {
    const to = await start();
    const first = deferred();
    const entered = deferred();
    const order: unknown[] = [];
    to.receiver.on('handoff.message', async ({ payload }) => {
      order.push(payload.body);
      if (payload.body !== 'first') return;
      entered.resolve();
      await first.promise;
      order.push('first ends');
    });
    const send = (body: string) =>
      request(to.url)
        .post('/chat')
        .send(chatBody({ conversation_id: 'c', body }))
        .then((answer) => answer.status);
    const answers = [send('first')];
    await entered.promise;
    answers.push(send('second'));
    while ((await to.receiver.stats()).pending < 2) await turn();
    expect(order).toEqual(['first']);
    first.resolve();
    expect(await Promise.all(answers)).toEqual([200, 200]);
    expect(order).toEqual(['first', 'first ends', 'second']);
  });

  it('wait for each other across endpoints', async () => {
    const to = await start();
    const held = deferred();
    const entered = deferred();
    to.receiver.on('message', async () => {
      entered.resolve();
      await held.promise;
    });
    const message = request(to.url)
      .post('/')
      .send(botMessageBody({ conversation_id: 'c' }))
      .then((answer) => answer.status);
    await entered.promise;
    const chat = request(to.url)
      .post('/chat')
      .send(chatBody({ conversation_id: 'c' }))
      .then((answer) => answer.status);
    while ((await to.receiver.stats()).pending < 2) await turn();
    expect(to.seen.map(({ event }) => event)).toEqual(['message']);
    held.resolve();
    expect(await Promise.all([message, chat])).toEqual([200, 200]);
  });
});

describe('the events of different conversations', () => {
  it('are handled concurrently', async () => {
    const allStarted = deferred();
    const inside = new Set<string>();
    const { delivery } = startInline(async ({ conversationId }) => {
      inside.add(conversationId);
      if (inside.size === 3) allStarted.resolve();
      await allStarted.promise;
    });
    const accepted = ['a', 'b', 'c'].map((id) => delivery.accept(chatEvent(id)));
    expect(await Promise.all(accepted)).toEqual(['handled', 'handled', 'handled']);
  });
});
