import { describe, expect, it } from 'vitest';
import type { Delivery } from '../../../src/delivery/index.js';
import type { HandlerContext } from '../../../src/public/index.js';
import { deferred } from '../../helpers/deferred.js';
import { chatEvent, requestEvent } from '../../helpers/events.js';
import { flakyPlatform } from '../../helpers/fake-platform.js';
import { type Engine, eventually, notes, stage } from './stage.js';

/** Releases all claims, like another process that finds the lease expired. */
async function reclaimAll({ database }: Delivery): Promise<void> {
  await database?.write(`UPDATE ${database.table('head')} SET owner = NULL, claim = NULL`);
}

const codeOf = (error: { code?: unknown }): unknown => error.code;

/** Replies from handlers whose process may have lost its claim. */
export function fencing(engine: Engine): void {
  describe('a handler whose event another process has reclaimed', () => {
    it('can neither reply nor end: both reject with CLAIM_LOST', async () => {
      const platform = await flakyPlatform();
      const set = await stage(engine);
      const running = notes<AbortSignal>();
      const outcomes = notes<unknown>();
      const isReclaimed = deferred();
      // Its only slot stays taken, so it cannot claim the event again.
      const paused = await set.receive(platform.options, { concurrency: 1 });
      paused.receiver.on('handoff.message', async ({ reply, end, ensureClaimed, signal }) => {
        running.add(signal);
        await ensureClaimed();
        await isReclaimed.promise;
        outcomes.add(await reply('stale').catch(codeOf));
        outcomes.add(await end().catch(codeOf));
        outcomes.add(await ensureClaimed().catch(codeOf));
      });
      for (const event of [requestEvent('c'), chatEvent('c')]) await paused.accept(event);
      const [signal] = await running.until(1);
      await reclaimAll(paused.delivery);

      const other = await set.receive(platform.options);
      other.receiver.on('handoff.message', ({ reply }) => reply('fresh'));
      await other.start();
      await eventually(() => expect(platform.said('c')).toEqual(['fresh']));
      isReclaimed.resolve();
      expect(await outcomes.until(3)).toEqual(['CLAIM_LOST', 'CLAIM_LOST', 'CLAIM_LOST']);
      expect(signal?.reason).toMatchObject({ code: 'CLAIM_LOST' });
      expect(paused.logged.about('longer than its lease')).toMatchObject([{ code: 'CLAIM_LOST' }]);
      await paused.stop();
      expect(platform.said('c')).toEqual(['fresh']);
      expect((await other.get('c'))?.state).toBe('connected');
      expect(paused.reports).toEqual([]);
    });

    it('does not end its process if it does not wait for its replies', async () => {
      const platform = await flakyPlatform();
      const paused = await (await stage(engine)).receive(platform.options, { concurrency: 1 });
      const running = notes<string>();
      const isReclaimed = deferred();
      paused.receiver.on('handoff.message', async ({ reply, attempt }) => {
        running.add(`attempt ${attempt}`);
        if (running.all.length > 1) return;
        await isReclaimed.promise;
        void reply('stale');
        await new Promise((resolve) => setTimeout(resolve, 20));
      });
      await paused.accept(chatEvent('c'));
      await running.until(1);
      await reclaimAll(paused.delivery);
      isReclaimed.resolve();
      await running.until(2);
      await paused.stop();
      expect(platform.calls).toEqual([]);
    });
  });

  describe('a handler that has finished', () => {
    it('may have left replies to be stored', async () => {
      const platform = await flakyPlatform();
      const to = await (await stage(engine)).receive(platform.options);
      to.receiver.on('handoff.message', ({ reply, end }) => {
        void reply('1');
        void reply('2');
        void end();
      });
      for (const event of [requestEvent('c'), chatEvent('c')]) await to.accept(event);
      await eventually(() => expect(platform.said('c')).toEqual(['1', '2', 'close']));
      await eventually(async () => expect((await to.get('c'))?.state).toBe('closed'));
    });

    it('may have left replies that cannot be stored, which are logged', async () => {
      const to = await (await stage(engine)).receive(undefined);
      to.receiver.on('handoff.message', ({ reply }) => {
        void reply('1');
      });
      await to.accept(chatEvent('c'));
      await eventually(() =>
        expect(to.logged.about('was not stored')).toMatchObject([{ conversationId: 'c' }]),
      );
    });

    it('may continue to reply, like code outside handlers', async () => {
      const platform = await flakyPlatform();
      const to = await (await stage(engine)).receive(platform.options);
      const kept = notes<HandlerContext<'handoff.message'>>();
      to.receiver.on('handoff.message', (context) => kept.add(context));
      for (const event of [requestEvent('c'), chatEvent('c')]) await to.accept(event);
      const [context] = await kept.until(1);
      await eventually(async () => expect(await to.queues.depth('inbox')).toMatchObject({ waiting: 0 }));
      await context?.reply('later');
      await context?.end();
      await eventually(() => expect(platform.said('c')).toEqual(['later', 'close']));
    });
  });
}
