import { queryObjects } from 'node:v8';
import request from 'supertest';
import { describe, expect, it } from 'vitest';
import { inline } from '../../src/public/index.js';
import { chatBody } from '../fixtures/bodies.js';
import { deferred } from '../helpers/deferred.js';
import { chatEvent } from '../helpers/events.js';
import { start, startInline } from '../helpers/start.js';

describe('more pending events than the limit', () => {
  it('are answered 503 and can be sent again', async () => {
    const to = await start({ delivery: inline({ maxPending: 2, ackDeadlineMs: 10 }) });
    const held = deferred();
    to.receiver.on('handoff.message', () => held.promise);
    const send = (body: object) => request(to.url).post('/chat').send(body);
    expect((await send(chatBody({ conversation_id: 'a' }))).status).toBe(200);
    expect((await send(chatBody({ conversation_id: 'a' }))).status).toBe(200);
    const more = chatBody();
    const answer = await send(more);
    expect([answer.status, answer.body]).toEqual([503, { code: 503, message: 'too busy' }]);
    expect(answer.headers['retry-after']).toBe('1');
    expect((await to.receiver.stats()).pending).toBe(2);
    held.resolve();
    await to.logged.until('late handlers finished');
    expect((await send(more)).status).toBe(200);
    expect(to.seen.at(-1)).toMatchObject({ conversationId: more.conversation_id });
  });
});

describe('a hundred thousand conversations', () => {
  it('leave only the window of recent keys in memory', { timeout: 120_000 }, async () => {
    const ROUNDS = 100;
    const EACH = 1_000;
    let handled = 0;
    const { delivery } = startInline(() => {
      handled += 1;
    });
    for (let round = 0; round < ROUNDS; round += 1) {
      await Promise.all(
        Array.from({ length: EACH }, (_, index) => delivery.accept(chatEvent(`c-${round}-${index}`))),
      );
    }
    expect(handled).toBe(ROUNDS * EACH);
    expect(await delivery.stats()).toEqual({ pending: 0, remembered: 10_000 });
    // A finished conversation must not keep its queue: each entry is a promise.
    expect(queryObjects(Promise, { format: 'count' })).toBeLessThan(ROUNDS * EACH);
  });
});

describe('a delivery without a receiver', () => {
  it('rejects with NOT_STARTED', async () => {
    await expect(inline().accept(chatEvent('c'))).rejects.toMatchObject({ code: 'NOT_STARTED' });
  });
});
