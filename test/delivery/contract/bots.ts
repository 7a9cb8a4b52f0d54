import { describe, expect, it } from 'vitest';
import type { DeliveredEvent } from '../../../src/events/index.js';
import { bearer, createReceiver, type SeveralBotsOptions } from '../../../src/public/index.js';
import { chatEvent, requestEvent } from '../../helpers/events.js';
import { type Conduct, flakyPlatform } from '../../helpers/fake-platform.js';
import { logLines } from '../../helpers/log-lines.js';
import { type Engine, type EngineOptions, eventually, notes, stage } from './stage.js';

/** Several bots in one receiver: each has its own platform, and its own outbox. */
export function bots(engine: Engine): void {
  const of = <Event extends DeliveredEvent>(bot: string, event: Event): Event => ({
    ...event,
    bot,
    conversationId: `${bot}/${event.conversationId}`,
    key: `${bot}/${event.key}`,
  });

  const setUp = async () => {
    const set = await stage(engine);
    const platforms = { sales: await flakyPlatform(), support: await flakyPlatform() };
    const botOf = (name: 'sales' | 'support') => ({
      auth: { message: bearer(name), handoff: bearer(name) },
      platform: platforms[name].options,
    });
    /** Opens the store with a receiver that has these bots. */
    const open = async (
      names: readonly ('sales' | 'support')[] = ['sales', 'support'],
      options: EngineOptions = {},
      more: Partial<SeveralBotsOptions> = {},
    ) => {
      const delivery = await set.openDelivery(options);
      const logged = logLines();
      const receiver = createReceiver({
        bots: Object.fromEntries(names.map((name) => [name, botOf(name)])),
        delivery,
        log: logged.log,
        ...more,
      });
      const handled = notes<string>();
      receiver.on('handoff.requested', () => {});
      receiver.on('handoff.message', async ({ bot, conversationId, text, reply }) => {
        await reply(`${bot}: ${text}`);
        handled.add(`${bot} ${conversationId} ${text}`);
      });
      await receiver.start();
      const { queues } = delivery;
      if (!queues) throw new Error('this engine stores nothing');
      return { delivery, receiver, logged, handled, queues };
    };
    return { platforms, open };
  };

  describe('two bots with the same conversations', () => {
    it.each<[string, Conduct | 'down']>([
      ['is down', 'down'],
      ['never answers', 'silence'],
      ['refuses the API key', { status: 401 }],
      ['has moved', { status: 308, headers: { location: 'http://127.0.0.1/' } }],
      ['fails', { status: 503 }],
    ])("send their replies at once while the other bot's platform %s", async (_how, conduct) => {
      const { platforms, open } = await setUp();
      const { receiver, delivery, handled, queues } = await open(undefined, { concurrency: 1 });
      if (conduct === 'down') await platforms.sales.down();
      else platforms.sales.behave(() => conduct);
      for (const text of ['1', '2']) {
        for (const bot of ['sales', 'support']) {
          expect(await delivery.accept(of(bot, chatEvent('c', { key: text, text })))).toBe('stored');
        }
        await receiver.conversations.reply('sales/d', text);
        await receiver.conversations.reply('support/d', text);
      }
      await handled.until(4);
      await eventually(() => {
        expect(platforms.support.said('c')).toEqual(['support: 1', 'support: 2']);
        expect(platforms.support.said('d')).toEqual(['1', '2']);
      });
      await eventually(async () =>
        expect((await queues.outboxes()).filter(({ waiting }) => waiting > 0)).toMatchObject([
          { receiver: 'default', bot: 'sales', waiting: 4, dead: 0 },
        ]),
      );
      expect(await queues.depth('outbox')).toMatchObject({ waiting: 4 });
      const isRefused = typeof conduct === 'object' && conduct.status !== 503;
      if (isRefused) await eventually(() => expect(delivery.isOutboxPaused?.('sales')).toBe(true));
      expect(delivery.isOutboxPaused?.('support')).toBe(false);
      expect(delivery.isOutboxPaused?.()).toBe(isRefused);

      platforms.sales.behave();
      if (conduct === 'down') await platforms.sales.up();
      if (conduct === 'silence') return;
      await eventually(() => {
        expect(platforms.sales.said('c').slice(-2)).toEqual(['sales: 1', 'sales: 2']);
        expect(platforms.sales.said('d').slice(-2)).toEqual(['1', '2']);
      });
      expect(platforms.support.calls).toHaveLength(4);
    });

    it('appear to operators with their names, and a user is forgotten in both', async () => {
      const { open } = await setUp();
      const { delivery, queues, handled } = await open(undefined, { keepContent: true });
      for (const bot of ['sales', 'support']) {
        await delivery.accept(of(bot, requestEvent('c', { key: 'r', userId: 'ann' })));
        await delivery.accept(of(bot, chatEvent('c', { key: 'm' })));
      }
      await handled.until(2);
      await eventually(async () => expect(await queues.list('outbox', { state: 'done' })).toHaveLength(2));
      const botsOf = async (queue: 'inbox' | 'outbox') =>
        (await queues.list(queue)).map(({ bot, conversationId }) => `${bot} ${conversationId}`).toSorted();
      const both = ['sales sales/c', 'support support/c'];
      expect(await botsOf('outbox')).toEqual(both);
      expect(await botsOf('inbox')).toEqual(both.flatMap((each) => [each, each]));
      // Two events, a reply and the conversation of each.
      expect(await queues.forget('ann', { bot: 'sales' })).toBe(4);
      expect(await botsOf('outbox')).toEqual(['support support/c']);
      const long = 'x'.repeat(300);
      for (const bot of ['sales', 'support']) {
        await delivery.accept(of(bot, requestEvent(long, { key: 'l', userId: 'ann' })));
      }
      await eventually(async () => expect(await queues.list('inbox', { state: 'waiting' })).toEqual([]));
      expect(await queues.forget('ann', { bot: 'sales' })).toBe(2);
      expect(await queues.forget('ann')).toBe(6);
      expect(await botsOf('inbox')).toEqual([]);
    });
  });

  describe('a bot that is no longer configured', () => {
    it('keeps its stored replies, which are reported, and sent once the bot is configured again', async () => {
      const { platforms, open } = await setUp();
      await platforms.sales.down();
      const first = await open();
      await first.receiver.conversations.reply('sales/c', 'hello');
      await first.receiver.close();

      await platforms.sales.up();
      const without = await open(['support']);
      expect(without.logged.about('stored replies of the bot sales are not sent')).toMatchObject([
        { bot: 'sales', waiting: 1 },
      ]);
      await (await without.receiver.conversations.reply('support/c', 'hello')).delivered();
      await eventually(async () =>
        expect(await without.queues.list('outbox')).toMatchObject([{ bot: 'sales', state: 'waiting' }]),
      );
      expect(platforms.sales.calls).toEqual([]);
      await without.receiver.close();

      const again = await open();
      await eventually(() => expect(platforms.sales.said('c')).toEqual(['hello']));
      expect(again.logged.about('are not sent')).toEqual([]);
      expect(platforms.support.calls).toHaveLength(1);
    });

    it('keeps its stored events, which wait for a process that has the bot', async () => {
      const { platforms, open } = await setUp();
      const without = await open(['support']);
      await without.delivery.accept(of('sales', chatEvent('c', { text: 'to sales' })));
      await without.delivery.accept(of('support', chatEvent('c', { text: 'to support' })));
      expect(await without.handled.until(1)).toEqual(['support support/c to support']);
      await without.logged.until('this receiver has no bot sales');
      await eventually(async () =>
        expect(await without.queues.list('inbox')).toMatchObject([
          { bot: 'sales', state: 'waiting', error: expect.stringContaining('is not configured') as string },
        ]),
      );
      // As during a deployment: the process with the new bot starts while the other runs.
      const other = await open();
      expect(await other.handled.until(1)).toEqual(['sales sales/c to sales']);
      await eventually(() => expect(platforms.sales.said('c')).toEqual(['sales: to sales']));
      expect(without.handled.all).toHaveLength(1);
    });
  });
}
