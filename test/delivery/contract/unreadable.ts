import { describe, expect, it } from 'vitest';
import { chatEvent } from '../../helpers/events.js';
import { logLines } from '../../helpers/log-lines.js';
import { type Engine, eventually, notes, stage } from './stage.js';

/** Stored events whose content is damaged. */
export function unreadable(engine: Engine): void {
  describe('a stored event whose content cannot be parsed', () => {
    it('becomes a dead letter that can be shown and discarded, and later events are handled', async () => {
      const set = await stage(engine);
      const before = await set.openDelivery();
      before.connect({
        name: 'default',
        hasBot: () => true,
        handles: () => true,
        handle: async () => {},
        greet: async () => {},
        report: () => {},
        log: logLines().log,
      });
      for (const key of ['broken', 'whole']) await before.accept(chatEvent('c', { key }));
      const { database } = before;
      await database?.write(
        `UPDATE ${database.table('job')} SET content = '{"half' WHERE content LIKE '%"key":"broken"%'`,
      );
      await before.stop({ timeoutMs: 1 });

      const seen = notes<string>();
      const to = await set.open(({ key }) => seen.add(key));
      expect(await seen.until(1)).toEqual(['whole']);
      await eventually(async () => expect(await to.queues.depth('inbox')).toMatchObject({ dead: 1 }));
      const [dead] = await to.queues.list('inbox', { state: 'dead' });
      expect(dead).toMatchObject({ conversationId: 'c', error: 'its stored content cannot be parsed' });
      expect(await to.queues.show('inbox', dead?.id ?? '')).toMatchObject({ content: '{"half' });
      expect(to.reports).toMatchObject([{ attempt: 1 }]);
      expect(await to.queues.discard('inbox', dead?.id ?? '')).toBe(true);
    });
  });
}
