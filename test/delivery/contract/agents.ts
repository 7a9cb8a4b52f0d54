import { describe, expect, it } from 'vitest';
import type { DeliveredEvent } from '../../../src/events/index.js';
import { bearer, createReceiver, type SeveralAgentsOptions } from '../../../src/index.js';
import { chatEvent, requestEvent } from '../../helpers/events.js';
import { type Conduct, flakyService } from '../../helpers/fake-service.js';
import { logLines } from '../../helpers/log-lines.js';
import { type Engine, type EngineOptions, eventually, notes, stage } from './stage.js';

/** Several agents in one receiver: each has its own platform, and its own outbox. */
export function agents(engine: Engine): void {
  const of = <Event extends DeliveredEvent>(agent: string, event: Event): Event => ({
    ...event,
    agent,
    conversationId: `${agent}/${event.conversationId}`,
    key: `${agent}/${event.key}`,
  });

  const setUp = async () => {
    const set = await stage(engine);
    const services = { sales: await flakyService(), support: await flakyService() };
    const agentOf = (name: 'sales' | 'support') => ({
      auth: { message: bearer(name), handoff: bearer(name) },
      service: services[name].options,
    });
    /** Opens the store with a receiver that has these agents. */
    const open = async (
      names: readonly ('sales' | 'support')[] = ['sales', 'support'],
      options: EngineOptions = {},
      more: Partial<SeveralAgentsOptions> = {},
    ) => {
      const delivery = await set.openDelivery(options);
      const logged = logLines();
      const receiver = createReceiver({
        agents: Object.fromEntries(names.map((name) => [name, agentOf(name)])),
        delivery,
        log: logged.log,
        ...more,
      });
      const handled = notes<string>();
      receiver.on('handoff.requested', () => {});
      receiver.on('handoff.message', async ({ agent, conversationId, text, reply }) => {
        await reply(`${agent}: ${text}`);
        handled.add(`${agent} ${conversationId} ${text}`);
      });
      await receiver.start();
      const { queues } = delivery;
      if (!queues) throw new Error('this engine stores nothing');
      return { delivery, receiver, logged, handled, queues };
    };
    return { services, open };
  };

  describe('two agents with the same conversations', () => {
    it.each<[string, Conduct | 'down']>([
      ['is down', 'down'],
      ['never answers', 'silence'],
      ['refuses the API key', { status: 401 }],
      ['has moved', { status: 308, headers: { location: 'http://127.0.0.1/' } }],
      ['fails', { status: 503 }],
    ])('each get their replies at once while the platform of the other %s', async (_how, conduct) => {
      const { services, open } = await setUp();
      const { receiver, delivery, handled, queues } = await open(undefined, { concurrency: 1 });
      if (conduct === 'down') await services.sales.down();
      else services.sales.behave(() => conduct);
      for (const text of ['1', '2']) {
        for (const agent of ['sales', 'support']) {
          expect(await delivery.accept(of(agent, chatEvent('c', { key: text, text })))).toBe('stored');
        }
        await receiver.conversations.reply('sales/d', text);
        await receiver.conversations.reply('support/d', text);
      }
      await handled.until(4);
      await eventually(() => {
        expect(services.support.said('c')).toEqual(['support: 1', 'support: 2']);
        expect(services.support.said('d')).toEqual(['1', '2']);
      });
      await eventually(async () =>
        expect((await queues.outboxes()).filter(({ waiting }) => waiting > 0)).toMatchObject([
          { receiver: 'default', agent: 'sales', waiting: 4, dead: 0 },
        ]),
      );
      expect(await queues.depth('outbox')).toMatchObject({ waiting: 4 });
      const isRefused = typeof conduct === 'object' && conduct.status !== 503;
      if (isRefused) await eventually(() => expect(delivery.isOutboxPaused?.('sales')).toBe(true));
      expect(delivery.isOutboxPaused?.('support')).toBe(false);
      expect(delivery.isOutboxPaused?.()).toBe(isRefused);

      services.sales.behave();
      if (conduct === 'down') await services.sales.up();
      if (conduct === 'silence') return;
      await eventually(() => {
        expect(services.sales.said('c').slice(-2)).toEqual(['sales: 1', 'sales: 2']);
        expect(services.sales.said('d').slice(-2)).toEqual(['1', '2']);
      });
      expect(services.support.calls).toHaveLength(4);
    });

    it('are seen by an operator with their names, and a user is forgotten at both', async () => {
      const { open } = await setUp();
      const { delivery, queues, handled } = await open(undefined, { keepContent: true });
      for (const agent of ['sales', 'support']) {
        await delivery.accept(of(agent, requestEvent('c', { key: 'r', userId: 'ann' })));
        await delivery.accept(of(agent, chatEvent('c', { key: 'm' })));
      }
      await handled.until(2);
      await eventually(async () => expect(await queues.list('outbox', { state: 'done' })).toHaveLength(2));
      const agentsOf = async (queue: 'inbox' | 'outbox') =>
        (await queues.list(queue))
          .map(({ agent, conversationId }) => `${agent} ${conversationId}`)
          .toSorted();
      const both = ['sales sales/c', 'support support/c'];
      expect(await agentsOf('outbox')).toEqual(both);
      expect(await agentsOf('inbox')).toEqual(both.flatMap((each) => [each, each]));
      // Two events, a reply and the conversation of each.
      expect(await queues.forget('ann', { agent: 'sales' })).toBe(4);
      expect(await agentsOf('outbox')).toEqual(['support support/c']);
      const long = 'x'.repeat(300);
      for (const agent of ['sales', 'support']) {
        await delivery.accept(of(agent, requestEvent(long, { key: 'l', userId: 'ann' })));
      }
      await eventually(async () => expect(await queues.list('inbox', { state: 'waiting' })).toEqual([]));
      expect(await queues.forget('ann', { agent: 'sales' })).toBe(2);
      expect(await queues.forget('ann')).toBe(6);
      expect(await agentsOf('inbox')).toEqual([]);
    });
  });

  describe('an agent that is no longer configured', () => {
    it('keeps its stored replies, which are reported, and sent once it is configured again', async () => {
      const { services, open } = await setUp();
      await services.sales.down();
      const first = await open();
      await first.receiver.conversations.reply('sales/c', 'hello');
      await first.receiver.close();

      await services.sales.up();
      const without = await open(['support']);
      expect(without.logged.about('stored replies of the agent sales are not sent')).toMatchObject([
        { agent: 'sales', waiting: 1 },
      ]);
      await (await without.receiver.conversations.reply('support/c', 'hello')).delivered();
      await eventually(async () =>
        expect(await without.queues.list('outbox')).toMatchObject([{ agent: 'sales', state: 'waiting' }]),
      );
      expect(services.sales.calls).toEqual([]);
      await without.receiver.close();

      const again = await open();
      await eventually(() => expect(services.sales.said('c')).toEqual(['hello']));
      expect(again.logged.about('are not sent')).toEqual([]);
      expect(services.support.calls).toHaveLength(1);
    });

    it('keeps its stored events, which wait for a process that has it', async () => {
      const { services, open } = await setUp();
      const without = await open(['support']);
      await without.delivery.accept(of('sales', chatEvent('c', { text: 'to sales' })));
      await without.delivery.accept(of('support', chatEvent('c', { text: 'to support' })));
      expect(await without.handled.until(1)).toEqual(['support support/c to support']);
      await without.logged.until('this receiver has no agent sales');
      await eventually(async () =>
        expect(await without.queues.list('inbox')).toMatchObject([
          { agent: 'sales', state: 'waiting', error: expect.stringContaining('is not configured') as string },
        ]),
      );
      // As during a deployment: the process with the new agent starts while the other runs.
      const other = await open();
      expect(await other.handled.until(1)).toEqual(['sales sales/c to sales']);
      await eventually(() => expect(services.sales.said('c')).toEqual(['sales: to sales']));
      expect(without.handled.all).toHaveLength(1);
    });
  });
}
