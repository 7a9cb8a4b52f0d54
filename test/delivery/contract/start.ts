import { setTimeout as sleep } from 'node:timers/promises';
import request from 'supertest';
import { describe, expect, it, vi } from 'vitest';
import { createReceiver, type Delivery, noAuth } from '../../../src/public/index.js';
import { chatBody } from '../../fixtures/bodies.js';
import { chatEvent, requestEvent } from '../../helpers/events.js';
import { LEVEL, logLines } from '../../helpers/log-lines.js';
import { serve } from '../../helpers/serve.js';
import { type Engine, eventually, notes, stage } from './stage.js';

/** Longer than any delay before workers would start. */
const OTHER_STARTUP_MS = 400;

/** The time after which a receiver that was not started is reported. */
const START_REMINDER_MS = 5_000;

/** A receiver without handlers, not started. */
function createIdleReceiver(delivery: Delivery) {
  const logged = logLines();
  const auth = { message: noAuth(), handoff: noAuth() };
  return { receiver: createReceiver({ auth, delivery, log: logged.log }), logged };
}

/** Before, at and after `start()`. */
export function start(engine: Engine): void {
  /** A store with one unhandled event of a process that has stopped. */
  const withStoredEvent = async () => {
    const set = await stage(engine);
    const delivery = await set.openDelivery();
    createIdleReceiver(delivery);
    expect(await delivery.accept(chatEvent('c', { key: 'stored', text: 'stored' }))).toBe('stored');
    await delivery.stop({ timeoutMs: 1 });
    return set;
  };
  const depthOf = (delivery: Delivery) => delivery.queues?.depth('inbox');

  describe('a process that restarts', () => {
    it('handles stored events once its handlers are registered, however long its start takes', async () => {
      const set = await withStoredEvent();
      const delivery = await set.openDelivery();
      const { receiver } = createIdleReceiver(delivery);
      await sleep(OTHER_STARTUP_MS);
      expect(await depthOf(delivery)).toMatchObject({ waiting: 1, dead: 0 });
      const handled = notes<string>();
      receiver.on('handoff.message', ({ payload, attempt }) => handled.add(`${payload.body} ${attempt}`));
      await receiver.start();
      expect(await handled.until(1)).toEqual(['stored 1']);
      await eventually(async () => expect(await depthOf(delivery)).toMatchObject({ waiting: 0, dead: 0 }));
      expect(receiver.started).toBe(true);
    });

    it('makes a stored event without a handler a dead letter', async () => {
      const set = await withStoredEvent();
      const without = await set.openDelivery();
      const { receiver, logged } = createIdleReceiver(without);
      await receiver.start();
      expect(await logged.until('no handler for handoff.message: the stored event')).toMatchObject({
        level: LEVEL.error,
        conversationId: 'c',
      });
      await eventually(async () => expect(await depthOf(without)).toMatchObject({ waiting: 0, dead: 1 }));
      await receiver.close();

      const delivery = await set.openDelivery();
      const { receiver: restarted } = createIdleReceiver(delivery);
      const handled = notes<string>();
      restarted.on('handoff.message', ({ payload, attempt }) => handled.add(`${payload.body} ${attempt}`));
      await restarted.start();
      const [dead] = (await delivery.queues?.list('inbox', { state: 'dead' })) ?? [];
      expect(dead).toMatchObject({ error: 'no handler for handoff.message was registered' });
      expect(await delivery.queues?.retry('inbox', dead?.id ?? '')).toBe(true);
      expect(await handled.until(1)).toEqual(['stored 1']);
    });
  });

  describe('a stored handoff request', () => {
    it('becomes a dead letter, too, if its handler is gone', async () => {
      const set = await stage(engine);
      const first = await set.openDelivery();
      createIdleReceiver(first);
      expect(await first.accept(requestEvent('c'))).toBe('stored');
      await first.stop({ timeoutMs: 1 });

      const delivery = await set.openDelivery();
      const { receiver, logged } = createIdleReceiver(delivery);
      receiver.onAny(() => {});
      await receiver.start();
      await logged.until('no handler for handoff.requested: the stored event');
      await eventually(async () => expect(await depthOf(delivery)).toMatchObject({ waiting: 0, dead: 1 }));
      expect(await receiver.conversations.get('c')).toBeNull();
    });
  });

  describe('a receiver', () => {
    it('stores and answers requests before start(), and handles them after it', async () => {
      const delivery = await (await stage(engine)).openDelivery();
      const { receiver } = createIdleReceiver(delivery);
      const handled = notes<string>();
      const { url } = await serve(receiver);
      const send = async (body: string): Promise<number> =>
        (
          await request(url)
            .post('/chat')
            .send(chatBody({ conversation_id: 'c', body }))
        ).status;
      expect(await send('early')).toBe(200);
      expect(receiver.started).toBe(false);
      expect(await depthOf(delivery)).toMatchObject({ waiting: 1 });
      receiver.on('handoff.message', ({ payload }) => handled.add(payload.body));
      await receiver.start();
      expect(await send('later')).toBe(200);
      expect(await handled.until(2)).toEqual(['early', 'later']);
    });

    it('accepts no handlers after start()', async () => {
      const { receiver } = createIdleReceiver(await (await stage(engine)).openDelivery());
      receiver.on('handoff.message', () => {});
      await receiver.start();
      expect(() => receiver.on('message', () => {})).toThrow(
        expect.objectContaining({ code: 'REGISTRATION_CLOSED' }),
      );
      // A second call returns the first promise.
      await receiver.start();
    });

    it('acknowledges and drops events without a handler once it has started, and warns once', async () => {
      const delivery = await (await stage(engine)).openDelivery();
      const { receiver, logged } = createIdleReceiver(delivery);
      receiver.on('message', () => {});
      await receiver.start();
      const { url } = await serve(receiver);
      expect((await request(url).post('/chat').send(chatBody())).status).toBe(200);
      expect(await delivery.queues?.list('inbox')).toEqual([]);
      expect(logged.about('no handler for handoff.message')).toMatchObject([{ level: LEVEL.warn }]);
    });

    it('logs an error when it stores events and is never started', async () => {
      const delivery = await (await stage(engine)).openDelivery();
      const { logged } = createIdleReceiver(delivery);
      // The database is opened with real timers.
      expect(await depthOf(delivery)).toMatchObject({ waiting: 0 });
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      try {
        expect(await delivery.accept(chatEvent('c'))).toBe('stored');
        vi.advanceTimersByTime(START_REMINDER_MS - 1);
        expect(logged.about('never started')).toEqual([]);
        vi.advanceTimersByTime(1);
      } finally {
        vi.useRealTimers();
      }
      expect(logged.about('never started')).toMatchObject([{ level: LEVEL.error }]);
    });
  });

  describe('start()', () => {
    it('rejects if the storage cannot be opened, and senders get 503', async () => {
      const delivery = engine.openUnusable?.();
      if (!delivery) throw new Error('this engine cannot be made unusable');
      const { receiver, logged } = createIdleReceiver(delivery);
      await expect(receiver.start()).rejects.toMatchObject({ code: 'DATABASE_UNUSABLE' });
      expect(receiver.started).toBe(false);
      expect(await delivery.accept(chatEvent('c'))).toBe('unavailable');
      expect(logged.about('the database cannot be used')).toMatchObject([
        { level: LEVEL.error, code: 'DATABASE_UNUSABLE' },
      ]);
      await receiver.close();
    });

    it('rejects if a newer version of the package wrote the tables, and succeeds later', async () => {
      const set = await withStoredEvent();
      await set.store.setNewerVersion?.(true);
      const delivery = await set.openDelivery();
      const { receiver } = createIdleReceiver(delivery);
      const handled = notes<string>();
      receiver.on('handoff.message', ({ payload }) => handled.add(payload.body));
      await expect(receiver.start()).rejects.toMatchObject({ code: 'DATABASE_TOO_NEW' });
      expect(await delivery.accept(chatEvent('c'))).toBe('unavailable');
      await set.store.setNewerVersion?.(false);
      await receiver.start();
      expect(await handled.until(1)).toEqual(['stored']);
    });
  });
}
