import { describe, expect, it } from 'vitest';
import { chatEvent } from '../../helpers/events.js';
import { flakyPlatform } from '../../helpers/fake-platform.js';
import { AN_HOUR, type Engine, eventually, notes, stage } from './stage.js';

/** Replies while the platform is unreachable. */
export function outages(engine: Engine): void {
  const words = ['1', '2', '3', '4', '5'];

  describe('while the platform is unreachable', () => {
    it('replies are stored, and sent in order once it is back', async () => {
      const platform = await flakyPlatform();
      const to = await (await stage(engine)).receive(platform.options);
      await platform.down();
      const receipts = await Promise.all(words.map((text) => to.reply('c', text)));
      const closed = await to.end('c');
      await eventually(async () => {
        const [first] = await to.queues.list('outbox');
        expect(first).toMatchObject({
          state: 'waiting',
          what: 'reply',
          error: expect.stringContaining('reach'),
        });
      });
      expect(platform.calls).toEqual([]);
      await platform.up();
      await Promise.all([...receipts.map((receipt) => receipt.delivered()), closed.delivered()]);
      expect(platform.said('c')).toEqual([...words, 'close']);
      expect(to.reports).toEqual([]);
    });

    it('stored replies survive a restart', async () => {
      const platform = await flakyPlatform();
      const set = await stage(engine);
      const before = await set.receive(platform.options);
      await platform.down();
      await Promise.all(words.map((text) => before.reply('c', text)));
      await before.stop();
      await platform.up();
      await (await set.receive(platform.options)).start();
      await eventually(() => expect(platform.said('c')).toEqual(words));
    });

    it('handlers keep running', async () => {
      const platform = await flakyPlatform();
      const seen = notes<string>();
      const to = await (await stage(engine)).receive(platform.options);
      to.receiver.on('handoff.message', async ({ payload, reply }) => {
        await reply(`You said: ${payload.body}`);
        seen.add(payload.body);
      });
      await platform.down();
      for (const text of words) await to.accept(chatEvent('c', { text }));
      expect(await seen.until(5)).toEqual(words);
      await platform.up();
      await eventually(() => expect(platform.said('c')).toEqual(words.map((text) => `You said: ${text}`)));
    });

    it('a reply that waits does not delay other conversations', async () => {
      const platform = await flakyPlatform(({ conversationId }) =>
        conversationId === 'c' ? { status: 429 } : { status: 200 },
      );
      const outbox = { minDelayMs: AN_HOUR, maxDelayMs: AN_HOUR };
      const to = await (await stage(engine)).receive(platform.options, { concurrency: 1, outbox });
      await to.reply('c', 'waits');
      await eventually(() => expect(platform.said('c')).toEqual(['waits']));
      await (await to.reply('d', 'goes')).delivered();
      expect(platform.said('c')).toEqual(['waits']);
    });
  });

  describe('a platform that answers with Retry-After', () => {
    it('is not called before that time', async () => {
      let openAt = 0;
      let early = 0;
      const platform = await flakyPlatform(() => {
        const now = Date.now();
        if (openAt === 0) openAt = now + 1_000;
        else if (now < openAt) early += 1;
        return now < openAt ? { status: 429, headers: { 'retry-after': '1' } } : { status: 200 };
      });
      const to = await (await stage(engine)).receive(platform.options);
      const receipts = await Promise.all(words.map((text) => to.reply('c', text)));
      await Promise.all(receipts.map((receipt) => receipt.delivered()));
      expect(early).toBe(0);
      expect(platform.said('c')).toEqual(['1', ...words]);
    });
  });

  describe('a reply that could not be sent for too long', () => {
    it('becomes a dead letter, is reported, and later replies are sent', async () => {
      const platform = await flakyPlatform();
      await platform.down();
      const to = await (await stage(engine)).receive(platform.options, { outbox: { giveUpAfterMs: 1 } });
      const receipt = await to.reply('c', 'too old');
      await expect(receipt.delivered()).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' });
      await eventually(async () =>
        expect(await to.queues.list('outbox')).toMatchObject([{ state: 'dead', what: 'reply' }]),
      );
      expect(to.reports).toMatchObject([{ error: { code: 'PLATFORM_UNREACHABLE' }, conversationId: 'c' }]);
      await platform.up();
      const later = await to.reply('c', 'later');
      await later.delivered();
      expect(platform.said('c')).toEqual(['later']);
    });
  });
}
