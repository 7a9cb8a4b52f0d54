import { describe, expect, it } from 'vitest';
import { deferred } from '../../helpers/deferred.js';
import { chatEvent, requestEvent } from '../../helpers/events.js';
import { flakyPlatform } from '../../helpers/fake-platform.js';
import { type Engine, eventually, notes, stage } from './stage.js';

/** Stored user data, and its removal. */
export function forgetting(engine: Engine): void {
  describe('the content of finished jobs', () => {
    const handleAndReply = async (keepContent: boolean) => {
      const platform = await flakyPlatform();
      const to = await (await stage(engine)).receive(platform.options, { keepContent, maxAttempts: 1 });
      to.receiver.on('handoff.message', async ({ payload, reply }) => {
        if (payload.body === 'bad') throw new Error('no');
        await reply('Hello');
      });
      for (const text of ['good', 'bad']) await to.accept(chatEvent('c', { text }));
      await eventually(async () => {
        expect(await to.queues.depth('inbox')).toMatchObject({ waiting: 0, dead: 1 });
        expect(await to.queues.depth('outbox')).toMatchObject({ waiting: 0 });
        expect(platform.said('c')).toEqual(['Hello']);
      });
      const contents = async (queue: 'inbox' | 'outbox') => {
        const items = await to.queues.list(queue);
        return Promise.all(items.map(async ({ id }) => (await to.queues.show(queue, id))?.content));
      };
      return [...(await contents('inbox')), ...(await contents('outbox'))];
    };

    it('is removed, and only dead letters are listed', async () => {
      expect(await handleAndReply(false)).toMatchObject([{ body: 'bad' }]);
    });

    it('is kept with keepContent', async () => {
      const kept = [{ body: 'good' }, { body: 'bad' }, { kind: 'reply', text: 'Hello' }];
      expect(await handleAndReply(true)).toMatchObject(kept);
    });
  });

  describe('forgetting a user', () => {
    it('removes all data of their conversations, and no other data', async () => {
      const platform = await flakyPlatform(({ text }) => ({ status: text === 'refused' ? 400 : 200 }));
      const to = await (await stage(engine)).receive(platform.options, { keepContent: true, maxAttempts: 1 });
      to.receiver.on('handoff.message', async ({ payload, reply }) => {
        if (payload.body === 'bad') throw new Error('no');
        await reply(payload.body);
      });
      const talk = async (id: string, user: { userId?: string; anonymousId?: string }) => {
        await to.accept(requestEvent(id, user));
        for (const text of ['good', 'bad', 'refused']) await to.accept(chatEvent(id, { text }));
      };
      await talk('hers', { userId: 'ann\ud800', anonymousId: 'anonymous-1' });
      await talk('hers too', { userId: 'ann\ud800' });
      await talk('his', { userId: 'bob', anonymousId: 'anonymous-2' });
      await eventually(async () => {
        expect(await to.queues.depth('inbox')).toMatchObject({ waiting: 0, dead: 3 });
        expect(await to.queues.depth('outbox')).toMatchObject({ waiting: 0, dead: 3 });
      });

      // Of each conversation: four events, two replies, and itself.
      expect(await to.queues.forget('ann\ud801')).toBe(0);
      expect(await to.queues.forget('ann\ud800')).toBe(14);
      for (const queue of ['inbox', 'outbox'] as const) {
        const left = await to.queues.list(queue);
        expect(new Set(left.map(({ conversationId }) => conversationId))).toEqual(new Set(['his']));
        expect(left).toHaveLength(queue === 'inbox' ? 4 : 2);
      }
      expect(await to.queues.forget('anonymous-1')).toBe(0);
      expect(await to.queues.forget('anonymous-2')).toBe(7);
      expect(await to.queues.depth('inbox')).toEqual({ waiting: 0, dead: 0, oldestAt: null });
    });

    it('removes waiting events too, and the conversation can be used again', async () => {
      const held = deferred();
      const seen = notes<string>();
      const to = await (await stage(engine)).open(async ({ key }) => {
        seen.add(key);
        if (key === 'running') await held.promise;
      });
      await to.accept(requestEvent('c', { userId: 'ann' }));
      await seen.until(1);
      for (const key of ['running', 'waiting']) await to.accept(chatEvent('c', { key }));
      await seen.until(2);
      expect(await to.queues.forget('ann')).toBe(2);
      expect(await to.queues.depth('inbox')).toMatchObject({ waiting: 0 });
      held.resolve();
      await to.accept(chatEvent('c', { key: 'new' }));
      expect((await seen.until(3)).slice(1)).toEqual(['running', 'new']);
      await eventually(async () =>
        expect(await to.queues.depth('inbox')).toMatchObject({ waiting: 0, dead: 0 }),
      );
    });
  });
}
