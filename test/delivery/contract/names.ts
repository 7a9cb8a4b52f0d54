import { describe, expect, it, onTestFinished } from 'vitest';
import { createReceiver, noAuth } from '../../../src/public/index.js';
import { changeConversation } from '../../helpers/change-conversation.js';
import { chatEvent, requestEvent } from '../../helpers/events.js';
import { flakyPlatform } from '../../helpers/fake-platform.js';
import { refuseSharedStores } from '../../helpers/several-processes.js';
import { makeReceiver } from '../../helpers/start.js';
import { type Engine, eventually, notes, stage } from './stage.js';

/** Receivers with different names that share a store. */
export function names(engine: Engine): void {
  describe('two receivers with names on one store', () => {
    /** Both have conversations with the same ids, and events with the same keys. */
    const openBoth = async () => {
      const set = await stage(engine);
      const platforms = { sales: await flakyPlatform(), support: await flakyPlatform() };
      const open = async (name: 'sales' | 'support') => {
        const to = await set.receive(platforms[name].options, { keepContent: true }, { name });
        const handled = notes<string>();
        to.receiver.on('handoff.message', async ({ text, reply }) => {
          await reply(`${name}: ${text}`);
          handled.add(text);
        });
        return { ...to, handled };
      };
      return { set, platforms, sales: await open('sales'), support: await open('support') };
    };

    it('handle only their own events', async () => {
      const { platforms, sales, support } = await openBoth();
      // Not started: its events wait.
      expect(await sales.delivery.accept(chatEvent('c', { key: 'k', text: 'to sales' }))).toBe('stored');
      expect(await support.accept(chatEvent('c', { key: 'k', text: 'to support' }))).toBe('stored');
      await support.accept(chatEvent('d', { text: 'more' }));
      await support.handled.until(2);
      await eventually(() => expect(platforms.support.calls).toHaveLength(2));
      expect(support.handled.all.toSorted()).toEqual(['more', 'to support']);
      expect(await sales.receiver.stats()).toMatchObject({ pending: 1 });
      await eventually(async () => expect(await support.receiver.stats()).toMatchObject({ pending: 0 }));

      await sales.start();
      expect(await sales.handled.until(1)).toEqual(['to sales']);
      await eventually(() => expect(platforms.sales.said('c')).toEqual(['sales: to sales']));
      expect(platforms.support.said('c')).toEqual(['support: to support']);
      expect(await sales.delivery.accept(chatEvent('c', { key: 'k' }))).toBe('duplicate');
    });

    it("send their own replies while the other's platform is down", async () => {
      const { platforms, sales, support } = await openBoth();
      await platforms.sales.down();
      for (const text of ['1', '2']) await sales.reply('c', text, { once: text });
      for (const text of ['1', '2']) await support.reply('c', text, { once: text });
      await eventually(() => expect(platforms.support.said('c')).toEqual(['1', '2']));
      await eventually(async () =>
        expect(await support.queues.depth('outbox')).toMatchObject({ waiting: 0 }),
      );
      expect(await sales.queues.depth('outbox')).toMatchObject({ waiting: 2 });
      await platforms.sales.up();
      await eventually(() => expect(platforms.sales.said('c')).toEqual(['1', '2']));
      expect(platforms.support.said('c')).toEqual(['1', '2']);
    });

    it('have separate conversations, keys, cursors, leases and links', async () => {
      const { sales, support } = await openBoth();
      const [ofSales, ofSupport] = [sales, support].map(({ lifecycle }) => lifecycle);
      if (!ofSales || !ofSupport) throw new Error('both are there');
      for (const each of [ofSales, ofSupport]) {
        const { isNew } = await each.request(requestEvent('c', { userId: 'ann', key: 'k' }));
        expect(isNew).toBe(true);
        expect(await each.store.addIdempotencyKey('key', 60_000)).toBe(true);
        expect(await each.store.lease('task', 'owner', 60_000)).toBe(true);
        expect(await each.store.moveCursor('reader', null, '1')).toBe(true);
      }
      const link = { adapter: 'desk', externalId: '7', url: null, extra: {} };
      await changeConversation(ofSales.store, 'c', { link });
      await ofSales.accept('c');
      expect(await ofSupport.store.findByLink('desk', '7')).toBeNull();
      expect(await ofSales.store.findByLink('desk', '7')).toMatchObject({ id: 'c', state: 'waiting' });
      expect(await ofSupport.store.get('c')).toMatchObject({ state: 'requested', link: null });
      for (const filter of [{}, { userKey: 'user:ann' }, { states: ['waiting' as const] }]) {
        expect(await ofSales.store.list(filter)).toMatchObject([{ id: 'c', link }]);
      }
      expect(await ofSales.store.list({ adapter: 'desk' })).toHaveLength(1);
      expect(await ofSupport.store.list({ adapter: 'desk' })).toEqual([]);
      expect(await ofSupport.store.list({ states: ['waiting'] })).toEqual([]);
      expect(await ofSupport.store.list()).toMatchObject([{ id: 'c', state: 'requested' }]);
      expect(await ofSales.store.forget('ann')).toBe(1);
      expect(await ofSupport.store.list()).toHaveLength(1);
    });

    it('see and forget only their own data, and an operator sees both', async () => {
      const { set, sales, support } = await openBoth();
      for (const to of [sales, support]) {
        await to.accept(requestEvent('c', { userId: 'ann', key: 'k' }));
        await to.accept(chatEvent('c', { key: 'm' }));
        await eventually(async () =>
          expect(await to.queues.list('outbox', { state: 'done' })).toHaveLength(1),
        );
        expect(await to.queues.list('inbox', { conversationId: 'c' })).toMatchObject([
          { receiver: to === sales ? 'sales' : 'support', bot: 'default', conversationId: 'c' },
          { conversationId: 'c' },
        ]);
      }
      const operator = (await set.store.admin?.())?.queues;
      const receivers = async (queue: 'inbox' | 'outbox') =>
        (await operator?.list(queue, { conversationId: 'c' }))?.map(({ receiver }) => receiver).toSorted();
      expect(await receivers('inbox')).toEqual(['sales', 'sales', 'support', 'support']);
      expect(await receivers('outbox')).toEqual(['sales', 'support']);

      // Two events, one reply, and the conversation.
      expect(await sales.queues.forget('ann')).toBe(4);
      expect(await receivers('inbox')).toEqual(['support', 'support']);
      expect(await sales.get('c')).toBeNull();
      expect(await support.get('c')).not.toBeNull();
      expect(await operator?.forget('ann')).toBe(4);
      expect(await receivers('outbox')).toEqual([]);
    });
  });

  describe('the name of a receiver', () => {
    it('can be used once per store in a process, until the receiver is closed', async () => {
      onTestFinished(refuseSharedStores());
      const set = await stage(engine);
      const open = async (name?: string) => {
        const delivery = await set.openDelivery();
        return makeReceiver({ delivery, ...(name !== undefined && { name }) }).receiver;
      };
      const first = await open();
      await expect(open()).rejects.toThrow(/already uses .* under the name "default"/);
      const other = await open('other');
      await expect(open('other')).rejects.toThrow(/under the name "other"/);
      await first.close();
      await (await open('default')).close();
      await other.close();
    });

    it('does not let two receivers share one delivery', async () => {
      const delivery = await (await stage(engine)).openDelivery();
      const auth = { message: noAuth(), handoff: noAuth() };
      createReceiver({ auth, delivery, log: false });
      expect(() => createReceiver({ auth, delivery, name: 'other', log: false })).toThrow(
        /belongs to another receiver/,
      );
    });

    it('must be valid', async () => {
      const delivery = await (await stage(engine)).openDelivery();
      expect(() => makeReceiver({ delivery, name: 'a:b' })).toThrow(/name must be letters/);
    });
  });
}
