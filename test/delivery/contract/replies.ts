import { describe, expect, it } from 'vitest';
import { chatEvent } from '../../helpers/events.js';
import { flakyPlatform } from '../../helpers/fake-platform.js';
import { ODD_TEXTS } from './handling.js';
import { type Engine, eventually, stage } from './stage.js';

/** Replies that the platform accepts. */
export function replies(engine: Engine): void {
  describe('a reply', () => {
    it("returns a receipt, which resolves to the platform's answer", async () => {
      const platform = await flakyPlatform();
      const to = await (await stage(engine)).receive(platform.options);
      const receipt = await to.reply('c', 'Good morning');
      expect(receipt.conversationId).toBe('c');
      expect(await receipt.delivered()).toEqual({ code: 200, message: 'answer to Good morning' });
      expect(platform.calls).toMatchObject([{ kind: 'reply', conversationId: 'c', text: 'Good morning' }]);
    });

    it('is sent in order within its conversation, and a close after all of them', async () => {
      const platform = await flakyPlatform();
      const to = await (await stage(engine)).receive(platform.options);
      const ids = ['a', 'b', 'c'];
      const words = ['1', '2', '3', '4', '5'];
      const stored = words.flatMap((text) => ids.map((id) => to.reply(id, text)));
      const closed = ids.map((id) => to.end(id));
      const receipts = await Promise.all([...stored, ...closed]);
      await Promise.all(receipts.map((receipt) => receipt.delivered()));
      for (const id of ids) expect(platform.said(id)).toEqual([...words, 'close']);
    });

    it('from a handler is sent', async () => {
      const platform = await flakyPlatform();
      const to = await (await stage(engine)).receive(platform.options);
      to.receiver.on('handoff.message', async ({ payload, reply, end }) => {
        await reply(`You said: ${payload.body}`);
        await reply('Goodbye');
        await end();
      });
      await to.accept(chatEvent('c', { text: 'Hello?' }));
      await eventually(() => expect(platform.said('c')).toEqual(['You said: Hello?', 'Goodbye', 'close']));
    });

    it("keeps unusual text unchanged, even in its conversation's id", async () => {
      const platform = await flakyPlatform();
      const to = await (await stage(engine)).receive(platform.options);
      const texts = Object.values(ODD_TEXTS);
      const receipts = await Promise.all(texts.map((text) => to.reply(text, text)));
      await Promise.all(receipts.map((receipt) => receipt.delivered()));
      for (const text of texts) expect(platform.said(text)).toEqual([text]);
      expect(platform.calls).toHaveLength(texts.length);
    });

    it('that the platform would never accept is refused at once', async () => {
      const platform = await flakyPlatform();
      const to = await (await stage(engine)).receive(platform.options);
      await expect(to.reply('c', '')).rejects.toMatchObject({ code: 'INVALID_BODY' });
      await expect(to.reply('', 'x')).rejects.toMatchObject({ code: 'INVALID_BODY' });
      expect(await to.queues.list('outbox')).toEqual([]);
    });

    it('is refused at once if no platform is configured', async () => {
      const to = await (await stage(engine)).receive(undefined);
      await expect(to.reply('c', 'x')).rejects.toMatchObject({ code: 'PLATFORM_NOT_CONFIGURED' });
      await expect(to.end('c')).rejects.toMatchObject({ code: 'PLATFORM_NOT_CONFIGURED' });
    });

    it('from one of two processes is sent in storage order, whichever process sends it', async () => {
      const platform = await flakyPlatform();
      const set = await stage(engine);
      const first = await set.receive(platform.options);
      const second = await set.receive(platform.options);
      const words = Array.from({ length: 12 }, (_, index) => String(index));
      const receipts = [];
      for (const [index, text] of words.entries()) {
        receipts.push(await (index % 2 === 0 ? first : second).reply('c', text));
      }
      await Promise.all(receipts.map((receipt) => receipt.delivered()));
      expect(platform.said('c')).toEqual(words);
    });
  });
}
