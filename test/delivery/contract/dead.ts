import { describe, expect, it } from 'vitest';
import type { StoredRecord } from '../../../src/delivery/index.js';
import type { DeliveredEvent } from '../../../src/events/index.js';
import { deferred } from '../../helpers/deferred.js';
import { chatEvent } from '../../helpers/events.js';
import { AN_HOUR, type Engine, eventually, notes, stage } from './stage.js';

/** Dead letters, and operators' actions on them. */
export function deadLetters(engine: Engine): void {
  /** A store with dead letters, whose handlers succeed from now on. */
  const withDead = async (events: readonly DeliveredEvent[]) => {
    const seen = notes<[key: string, attempt: number]>();
    const state = { broken: true };
    const to = await (await stage(engine)).open(
      ({ key }, { attempt }) => {
        if (state.broken) throw new Error('broken');
        seen.add([key, attempt]);
      },
      { maxAttempts: 1 },
    );
    for (const event of events) await to.accept(event);
    await eventually(async () =>
      expect(await to.queues.depth('inbox')).toMatchObject({ dead: events.length }),
    );
    state.broken = false;
    const dead = await to.queues.list('inbox', { state: 'dead' });
    return { ...to, seen, dead, firstId: dead[0]?.id ?? '' };
  };

  describe('a dead letter', () => {
    it('is listed, and shown with its content', async () => {
      const event = chatEvent('c', { text: 'Hello?\u0000\ud800' });
      const to = await withDead([event]);
      const listed = {
        queue: 'inbox',
        state: 'dead',
        conversationId: 'c',
        what: 'handoff.message',
        attempts: 1,
      };
      expect(to.dead).toMatchObject([{ ...listed, error: 'Error: broken' }]);
      expect(to.dead[0]?.createdAt).toBeInstanceOf(Date);
      expect(to.dead[0]).not.toHaveProperty('content');
      expect(await to.queues.show('inbox', to.firstId)).toEqual({
        ...to.dead[0],
        key: event.key,
        content: event.body,
      });
      expect(await to.queues.show('outbox', to.firstId)).toBeNull();
      expect(await to.queues.show('inbox', 'no such id')).toBeNull();
    });

    it('is found by its conversation, the oldest first, up to the limit', async () => {
      const ids = ['a', 'b\ud800', 'a', 'c', 'a'];
      const to = await withDead(ids.map((id) => chatEvent(id)));
      expect(to.dead.map(({ conversationId }) => conversationId).sort()).toEqual([...ids].sort());
      const found = await to.queues.list('inbox', { conversationId: 'a' });
      expect(found.map(({ id }) => id)).toEqual(
        to.dead.filter(({ conversationId }) => conversationId === 'a').map(({ id }) => id),
      );
      expect(await to.queues.list('inbox', { conversationId: 'a', limit: 2 })).toEqual(found.slice(0, 2));
      expect(await to.queues.list('inbox', { conversationId: 'b\ud800' })).toHaveLength(1);
      expect(await to.queues.list('inbox', { conversationId: 'b\ud801' })).toEqual([]);
      expect(await to.queues.list('inbox', { state: 'done' })).toEqual([]);
      expect(await to.queues.list('outbox')).toEqual([]);
    });

    it('is handled when an operator retries it, with attempts counted from 1 again', async () => {
      const to = await withDead([chatEvent('c', { key: 'k' })]);
      expect(await to.queues.retry('inbox', to.firstId)).toBe(true);
      expect(await to.seen.until(1)).toEqual([['k', 1]]);
      await eventually(async () =>
        expect(await to.queues.depth('inbox')).toMatchObject({ waiting: 0, dead: 0 }),
      );
      expect(await to.queues.retry('inbox', to.firstId)).toBe(false);
      expect(await to.accept(chatEvent('c', { key: 'k' }))).toBe('duplicate');
    });

    it('is handled before later events of its conversation when it is retried', async () => {
      const held = deferred();
      const seen = notes<string>();
      const to = await (await stage(engine)).open(
        async ({ key }, { attempt }) => {
          seen.add(key);
          if (key === 'bad' && seen.all.length === 1) throw new Error(`no ${attempt}`);
          if (key === 'first') await held.promise;
        },
        { maxAttempts: 1 },
      );
      for (const key of ['bad', 'first', 'later']) await to.accept(chatEvent('c', { key }));
      await seen.until(2);
      const [dead] = await to.queues.list('inbox', { state: 'dead' });
      expect(await to.queues.retry('inbox', dead?.id ?? '')).toBe(true);
      held.resolve();
      expect(await seen.until(4)).toEqual(['bad', 'first', 'bad', 'later']);
    });

    it('can be discarded', async () => {
      const to = await withDead([chatEvent('c'), chatEvent('c', { key: 'second' })]);
      expect(await to.queues.discard('inbox', to.firstId)).toBe(true);
      expect(await to.queues.discard('inbox', to.firstId)).toBe(false);
      expect(await to.queues.show('inbox', to.firstId)).toBeNull();
      expect(await to.queues.list('inbox', { state: 'dead' })).toEqual(to.dead.slice(1));
      expect(to.seen.all).toEqual([]);
    });

    it('can be discarded, unlike other jobs', async () => {
      const held = deferred();
      const to = await (await stage(engine)).open(() => held.promise);
      await to.accept(chatEvent('c'));
      await to.accept(chatEvent('c'));
      const waiting = await to.queues.list('inbox', { state: 'waiting' });
      expect(waiting).toHaveLength(2);
      for (const id of [...waiting.map((item) => item.id), 'no such id']) {
        expect(await to.queues.discard('inbox', id)).toBe(false);
      }
      held.resolve();
    });

    it('can be retried, like a waiting job and unlike others', async () => {
      const began = notes<number>();
      const backoff = { minDelayMs: AN_HOUR, maxDelayMs: AN_HOUR };
      const to = await (await stage(engine)).open(
        (_event, { attempt }) => {
          began.add(attempt);
          if (attempt === 1) throw new Error('not yet');
        },
        { backoff },
      );
      await to.accept(chatEvent('c'));
      await eventually(async () =>
        expect(await to.queues.list('inbox')).toMatchObject([{ state: 'waiting', attempts: 1 }]),
      );
      const [waiting] = await to.queues.list('inbox');
      expect(await to.queues.retry('inbox', waiting?.id ?? '')).toBe(true);
      expect(await began.until(2)).toEqual([1, 2]);
      await eventually(async () => expect(await to.queues.depth('inbox')).toMatchObject({ waiting: 0 }));
      for (const id of [waiting?.id ?? '', 'no such id']) {
        expect(await to.queues.retry('inbox', id)).toBe(false);
      }
    });

    it('is exported with its content, and waiting jobs that no process would claim are reported', async () => {
      const set = await stage(engine);
      const to = await set.open(
        ({ key }) => (key === 'dead' ? Promise.reject(new Error('broken')) : new Promise(() => {})),
        {
          maxAttempts: 1,
        },
      );
      await to.accept(chatEvent('c-1', { key: 'dead', text: 'Hello' }));
      await to.accept(chatEvent('c-2', { key: 'waiting' }));
      await eventually(async () =>
        expect(await to.queues.depth('inbox')).toMatchObject({ dead: 1, waiting: 1 }),
      );
      const operator = await set.store.admin?.();
      if (!operator) throw new Error('the engine has no view for operators');
      const records: StoredRecord[] = [];
      for await (const record of operator.records()) records.push(record);
      expect(records).toMatchObject([
        { type: 'job', state: 'dead', key: 'dead', conversationId: 'c-1', content: { body: 'Hello' } },
        { type: 'job', state: 'waiting', key: 'waiting', conversationId: 'c-2' },
      ]);
      expect(await operator.stuckConversations()).toBe(0);
      await operator.sql.write(`DELETE FROM ${operator.sql.table('head')}`);
      expect(await operator.stuckConversations()).toBe(1);
    });
  });
}
