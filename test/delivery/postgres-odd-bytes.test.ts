import { describe, expect, it } from 'vitest';
import { chatEvent } from '../helpers/events.js';
import { postgresEngine } from '../helpers/postgres.js';
import { ODD_TEXTS } from './contract/handling.js';
import { eventually, notes, stage } from './contract/stage.js';

const LONG = 'x'.repeat(5_000);

describe('text that the database refuses', () => {
  it.each([...Object.entries(ODD_TEXTS), ['very long', LONG], ['like a digest', '#abc']])(
    'is stored unchanged in ids, bodies and errors: %s',
    async (_what, text) => {
      const to = await (await stage(postgresEngine)).open(
        () => {
          throw new Error(text);
        },
        { maxAttempts: 1 },
      );
      const event = chatEvent(text, { key: text, text });
      expect(await to.accept(event)).toBe('stored');
      expect(await to.accept(event)).toBe('duplicate');
      await eventually(async () => expect(await to.queues.depth('inbox')).toMatchObject({ dead: 1 }));
      const [dead] = await to.queues.list('inbox', { conversationId: text });
      expect(dead).toMatchObject({ conversationId: text, error: `Error: ${text}`.slice(0, 500) });
      expect(await to.queues.show('inbox', dead?.id ?? '')).toMatchObject({ content: event.body });
    },
  );

  it('distinguishes conversations whose ids differ only in these characters', async () => {
    const ids = ['x\ud800', 'x\ud801', LONG, `${LONG}y`];
    const seen = notes<string>();
    const to = await (await stage(postgresEngine)).open(({ conversationId }) => seen.add(conversationId));
    for (const id of ids) expect(await to.accept(chatEvent(id, { key: id }))).toBe('stored');
    expect((await seen.until(4)).sort()).toEqual([...ids].sort());
  });
});
