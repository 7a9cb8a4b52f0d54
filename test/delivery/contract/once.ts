import { describe, expect, it } from 'vitest';
import { chatEvent } from '../../helpers/events.js';
import { flakyPlatform } from '../../helpers/fake-platform.js';
import { type Engine, eventually, notes, stage } from './stage.js';

/** Replies that a handler makes again when it is retried. */
export function once(engine: Engine): void {
  describe('a handler that is retried', () => {
    it('does not repeat the replies of its failed attempt', async () => {
      const platform = await flakyPlatform();
      const to = await (await stage(engine)).receive(platform.options);
      to.receiver.on('handoff.message', async ({ reply, end, attempt }) => {
        await reply('Hello');
        await reply('Hello');
        if (attempt < 3) throw new Error('not yet');
        await reply('Goodbye');
        await end();
      });
      await to.accept(chatEvent('c'));
      await eventually(() => expect(platform.said('c')).toEqual(['Hello', 'Hello', 'Goodbye', 'close']));
      await to.stop();
      expect(platform.said('c')).toEqual(['Hello', 'Hello', 'Goodbye', 'close']);
    });

    it('sends replies with another text again, unless they have a key', async () => {
      const platform = await flakyPlatform();
      const to = await (await stage(engine)).receive(platform.options);
      to.receiver.on('handoff.message', async ({ text, reply, end, attempt }) => {
        await reply(`${text}: attempt ${attempt}`);
        await reply(`${text}: answer of attempt ${attempt}`, { once: 'answer' });
        if (attempt < 3) throw new Error('not yet');
        if (text === 'bye') await end({ once: 'answer' });
      });
      for (const text of ['hi', 'bye']) await to.accept(chatEvent('c', { text }));
      const said = (text: string) => [
        `${text}: attempt 1`,
        `${text}: answer of attempt 1`,
        `${text}: attempt 2`,
        `${text}: attempt 3`,
      ];
      await eventually(() => expect(platform.said('c')).toEqual([...said('hi'), ...said('bye'), 'close']));
      await to.stop();
      expect(platform.said('c')).toHaveLength(9);
    });

    it('loses no reply that differs from the first attempt', async () => {
      const platform = await flakyPlatform();
      const to = await (await stage(engine)).receive(platform.options);
      to.receiver.on('handoff.message', async ({ reply, attempt }) => {
        if (attempt === 1) {
          await reply('One moment, please');
          throw new Error('not yet');
        }
        await reply('Here is the answer');
      });
      await to.accept(chatEvent('c'));
      await eventually(() =>
        expect(platform.said('c')).toEqual(['One moment, please', 'Here is the answer']),
      );
    });

    it("gets the outcome of its first attempt's replies", async () => {
      const platform = await flakyPlatform();
      const answers = notes<unknown>();
      const to = await (await stage(engine)).receive(platform.options);
      to.receiver.on('handoff.message', async ({ reply, attempt }) => {
        const receipt = await reply('Hello');
        void receipt.delivered().then((answer) => answers.add(answer));
        if (attempt < 3) throw new Error('not yet');
      });
      await platform.down();
      await to.accept(chatEvent('c'));
      await eventually(async () => expect(await to.queues.depth('inbox')).toMatchObject({ waiting: 0 }));
      expect(answers.all).toEqual([]);
      await platform.up();
      const answer = { code: 200, message: 'answer to Hello' };
      expect(await answers.until(3)).toEqual([answer, answer, answer]);
    });
  });

  describe('a reply with an idempotency key', () => {
    it('is sent once, and every caller gets its outcome', async () => {
      const platform = await flakyPlatform();
      const set = await stage(engine);
      const before = await set.receive(platform.options);
      const make = () => before.reply('c', 'Hello', { once: 'hello' });
      const receipts = await Promise.all([make(), make()]);
      await Promise.all(receipts.map((receipt) => receipt.delivered()));
      await (await make()).delivered();
      await before.stop();
      const after = await set.receive(platform.options);
      await (await after.reply('c', 'Hello', { once: 'hello' })).delivered();
      await (await after.reply('c', 'Bye', { once: 'bye' })).delivered();
      expect(platform.said('c')).toEqual(['Hello', 'Bye']);
    });

    it('is sent once in each conversation that uses the key', async () => {
      const platform = await flakyPlatform();
      const to = await (await stage(engine)).receive(platform.options);
      const receipts = await Promise.all(['c', 'd'].map((id) => to.reply(id, 'Hello', { once: 'hello' })));
      await Promise.all(receipts.map((receipt) => receipt.delivered()));
      expect([platform.said('c'), platform.said('d')]).toEqual([['Hello'], ['Hello']]);
    });

    it('does not block the end of a conversation with the same key', async () => {
      const platform = await flakyPlatform();
      const to = await (await stage(engine)).receive(platform.options);
      await to.reply('c', 'Bye', { once: 'bye' });
      await (await to.end('c', { once: 'bye' })).delivered();
      expect(platform.said('c')).toEqual(['Bye', 'close']);
    });

    it('is not reported as delivered when the platform refused it', async () => {
      const platform = await flakyPlatform(() => ({ status: 400 }));
      const to = await (await stage(engine)).receive(platform.options);
      const make = () => to.reply('c', 'Hello', { once: 'hello' });
      await expect((await make()).delivered()).rejects.toMatchObject({ code: 'PLATFORM_REFUSED' });
      await eventually(async () => expect(await to.queues.depth('outbox')).toMatchObject({ dead: 1 }));
      await expect((await make()).delivered()).rejects.toThrow();
      expect(platform.calls).toHaveLength(1);
    });
  });
}
