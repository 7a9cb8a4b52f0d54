import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { DeliveredEvent } from '../../../src/events/index.js';
import { deferred } from '../../helpers/deferred.js';
import { chatEvent } from '../../helpers/events.js';
import { type Engine, notes, stage } from './stage.js';

/** Text that an encoding may lose: NUL, lone surrogates, characters that SQL and JSON quote, and long text. */
export const ODD_TEXTS = {
  nul: 'a\u0000b',
  'another after NUL': 'a\u0000c',
  'half a pair': 'x\ud800',
  'another half': 'x\ud801',
  'the other half first': '\udc00\ud800',
  emoji: '👩‍👩‍👧 🏳️‍🌈',
  quotes: `'";--\\u0000\\`,
  'what a driver may take for a place': '$1 ? :a %s',
  'no letters': '\t\r\n \u2028\u2029\ufeff\u007f',
  'two ways to write é': 'é e\u0301',
} as const;

/** The guarantees of every delivery, stored or not. */
export function handling(engine: Engine): void {
  describe('an event', () => {
    it('reaches the handlers unchanged', async () => {
      const seen = notes<DeliveredEvent>();
      const to = await (await stage(engine)).open((event) => seen.add(event));
      const event = chatEvent('c', { text: 'Hello?', receivedAt: 1_742_265_090_895 });
      expect(await to.accept(event)).toBe(engine.stores ? 'stored' : 'handled');
      expect(await seen.until(1)).toEqual([event]);
    });

    it.each(Object.entries(ODD_TEXTS))(
      'keeps unusual text unchanged in every field: %s',
      async (_what, text) => {
        const seen = notes<DeliveredEvent>();
        const to = await (await stage(engine)).open((event) => seen.add(event));
        const event = chatEvent(text, { key: text, text });
        await to.accept(event);
        expect(await seen.until(1)).toEqual([event]);
        expect(await to.delivery.seen(event)).toBe(true);
      },
    );

    it('is distinguished from events whose text differs in one unusual character', async () => {
      const seen = notes<string>();
      const to = await (await stage(engine)).open(({ key }) => seen.add(key));
      const texts = Object.values(ODD_TEXTS);
      const accepted = await Promise.all(texts.map((text) => to.accept(chatEvent(text, { key: text }))));
      expect(accepted).not.toContain('duplicate');
      expect(new Set(await seen.until(texts.length))).toEqual(new Set(texts));
    });

    it('may be long', async () => {
      const seen = notes<DeliveredEvent>();
      const to = await (await stage(engine)).open((event) => seen.add(event));
      const event = chatEvent('c', { text: '\u0000"👩‍👧'.repeat(25_000) });
      await to.accept(event);
      expect(await seen.until(1)).toEqual([event]);
    });

    it('is handled once when it arrives twice', async () => {
      const seen = notes<string>();
      const to = await (await stage(engine)).open(({ key }) => seen.add(key));
      await to.accept(chatEvent('c', { key: 'same' }));
      await seen.until(1);
      expect(await to.accept(chatEvent('c', { key: 'same' }))).toBe('duplicate');
      expect(await to.delivery.seen(chatEvent('c', { key: 'same' }))).toBe(true);
      expect(await to.delivery.seen(chatEvent('c', { key: 'other' }))).toBe(false);
      await to.accept(chatEvent('c', { key: 'after' }));
      expect(await seen.until(2)).toEqual(['same', 'after']);
    });

    it('whose handler takes too long fails, and later events of its conversation are handled', async () => {
      const seen = notes<string>();
      const signals: AbortSignal[] = [];
      const to = await (await stage(engine)).open(
        ({ key }, run) => {
          if (key !== 'stuck') return seen.add(key);
          signals.push(run.signal);
          return deferred().promise;
        },
        { handlerTimeoutMs: 20, maxAttempts: 1 },
      );
      const accepted = ['stuck', 'next'].map((key) => to.accept(chatEvent('c', { key })));
      expect(await seen.until(1)).toEqual(['next']);
      await Promise.all(accepted);
      expect(signals.map(({ aborted, reason }) => [aborted, reason.code])).toEqual([
        [true, 'HANDLER_TIMEOUT'],
      ]);
      expect(to.reports).toMatchObject([
        { error: { code: 'HANDLER_TIMEOUT' }, conversationId: 'c', attempt: 1 },
      ]);
    });
  });

  describe('the events of one conversation', () => {
    it('are handled one at a time and in order, alongside other conversations', async () => {
      const ids = ['a', 'b', 'c', 'd'];
      const keys = ['0', '1', '2', '3', '4'];
      const seen = notes<string>();
      const ended = notes<string>();
      const to = await (await stage(engine)).open(async ({ conversationId, key }) => {
        seen.add(`${key} begins`);
        // Later events take less time: without a queue per conversation, the last would finish first.
        for (let rest = 5 - Number(key.slice(1)); rest > 0; rest -= 1) await turn();
        seen.add(`${key} ends`);
        ended.add(conversationId);
      });
      await Promise.all(
        keys.flatMap((key) => ids.map((id) => to.accept(chatEvent(id, { key: `${id}${key}` })))),
      );
      await ended.until(ids.length * keys.length);
      for (const id of ids) {
        expect(seen.all.filter((note) => note.startsWith(id))).toEqual(
          keys.flatMap((key) => [`${id}${key} begins`, `${id}${key} ends`]),
        );
      }
    });
  });

  describe('the events of different conversations', () => {
    it('are handled concurrently', async () => {
      const everybody = deferred();
      const inside = new Set<string>();
      const to = await (await stage(engine)).open(async ({ conversationId }) => {
        inside.add(conversationId);
        if (inside.size === 3) everybody.resolve();
        await everybody.promise;
      });
      await Promise.all(['a', 'b', 'c'].map((id) => to.accept(chatEvent(id))));
      await everybody.promise;
    });
  });
}
