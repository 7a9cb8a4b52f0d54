import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/delivery/sqlite/database.js';
import { sqlite } from '../../src/delivery/sqlite/index.js';
import { createQueueReads } from '../../src/delivery/sqlite/queue-reads.js';
import { openWriter } from '../../src/delivery/sqlite/writer.js';
import { deferred } from '../helpers/deferred.js';
import { chatEvent } from '../helpers/events.js';
import { temporaryFolder } from '../helpers/sqlite-store.js';
import { type Engine, eventually, notes, stage } from './contract/stage.js';

const LEASE_MS = 100;

/** Long enough for a busy machine to renew it in time. */
const LONG_LEASE_MS = 700;

/** Files whose conversations fall to others soon. */
const engineWith = (leaseMs: number): Engine => ({
  stores: true,
  async createStore() {
    const file = join(await temporaryFolder(), 'handoff.db');
    return {
      open: (options) => sqlite({ file, leaseMs, pollMs: 10, ...options }),
      remove: async () => {},
    };
  },
});

/** Lets nothing else happen in this process for a while. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

describe('a conversation', () => {
  it('stays with a handler that takes much longer than the lease', async () => {
    const set = await stage(engineWith(LONG_LEASE_MS));
    const seen = notes<string>();
    const held = deferred();
    const handle = async ({ key }: { key: string }) => {
      seen.add(key);
      if (key === 'long') await held.promise;
    };
    const both = [await set.open(handle), await set.open(handle)];
    await both[0]?.accept(chatEvent('c', { key: 'long' }));
    await both[0]?.accept(chatEvent('c', { key: 'next' }));
    await seen.until(1);
    // Three leases later nobody else has taken it: what the others do meanwhile is the measure of time.
    const began = Date.now();
    for (let number = 0; Date.now() - began < 3 * LONG_LEASE_MS; number += 1) {
      await both[number % 2]?.accept(chatEvent('d', { key: `d-${number}` }));
      await turn();
    }
    expect(seen.all.filter((key) => !key.startsWith('d-'))).toEqual(['long']);
    held.resolve();
    await eventually(() => expect(seen.all).toContain('next'));
    expect(seen.all.filter((key) => key === 'long')).toHaveLength(1);
  });

  it('is not begun a second time by a process that was too busy to keep its lease', async () => {
    const seen = notes<string>();
    const to = await (await stage(engineWith(LEASE_MS))).open(async ({ key }) => {
      seen.add(`${key} begins`);
      for (let times = 0; times < 3; times += 1) {
        block(3 * LEASE_MS);
        for (let turns = 0; turns < 20; turns += 1) await turn();
      }
      seen.add(`${key} ends`);
    });
    for (const key of ['1', '2']) await to.accept(chatEvent('c', { key }));
    expect(await seen.until(4)).toEqual(['1 begins', '1 ends', '2 begins', '2 ends']);
    await to.stop();
    expect(seen.all).toHaveLength(4);
  });

  it.each([
    ['that is not free after all', false],
    ['of a process that stops', true],
  ])(
    'falls to another when it was begun for a hand %s, and the attempt does not count',
    async (_whose, stops) => {
      const set = await stage(engineWith(600_000));
      const quick = notes<string>();
      const begun: string[] = [];
      const one = await set.open(
        ({ key, conversationId }) => {
          if (key.startsWith('quick')) return quick.add(key);
          begun.push(conversationId);
          return deferred().promise;
        },
        { concurrency: 1 },
      );
      // Handlers that were quick so far may be quick again: what comes now is begun for them ahead.
      for (let nth = 1; nth <= 30; nth += 1) {
        await one.accept(chatEvent('q', { key: `quick ${nth}` }));
        await quick.until(nth);
      }
      const ids = Array.from({ length: 6 }, (_, nth) => `c-${nth}`);
      await Promise.all(ids.map((id) => one.accept(chatEvent(id))));
      expect((await one.delivery.stats()).pending).toBe(6);
      if (stops) {
        await eventually(() => expect(begun).toHaveLength(1));
        expect(await one.delivery.stop({ timeoutMs: 500 })).toEqual({ unfinished: 1 });
      }
      const seen = notes<[conversation: string, attempt: number]>();
      await set.open(({ conversationId }, { attempt }) => seen.add([conversationId, attempt]));
      const attempts = new Map(await seen.until(stops ? 6 : 5));
      expect(begun).toHaveLength(1);
      for (const id of ids.filter((each) => !begun.includes(each)))
        expect([id, attempts.get(id)]).toEqual([id, 1]);
    },
  );

  it('falls to another when its process is gone, and the attempt counts', async () => {
    const file = join(await temporaryFolder(), 'handoff.db');
    const database = openDatabase(file);
    const writer = openWriter(database, { keepContent: false, owner: 'gone', leaseMs: LEASE_MS });
    const now = Date.now();
    await writer.write('accept', 'k', 'c', '{}', 'handoff.message', 1, 'r', false, now);
    const [taken] = (await writer.write('take', 'inbox', [], 1, now)).items;
    expect(taken).toMatchObject({ key: 'k', conversationId: 'c', attempts: 1, interrupted: false });
    database.close();

    const seen = notes<[key: string, attempt: number]>();
    const delivery = sqlite({ file, pollMs: 10, leaseMs: LEASE_MS });
    delivery.start({
      handle: async ({ key }, { attempt }) => seen.add([key, attempt]),
      greet: async () => {},
      report: () => {},
      log: (await import('../helpers/log-lines.js')).logLines().log,
    });
    expect(await seen.until(1)).toEqual([['k', 2]]);
    await delivery.stop({ timeoutMs: 1_000 });
  });
});

describe('a writer', () => {
  it('tells everybody of a group when its commit fails, and nothing of it has happened', async () => {
    const database = openDatabase(join(await temporaryFolder(), 'handoff.db'));
    const writer = openWriter(database);
    const inbox = createQueueReads(database, 'inbox');
    const add = () => writer.write('accept', 'k', 'c', '{}', 'message', 1, 'r', false, 1);
    const good = add();
    // A time that is no whole number has no place in the table.
    const bad = writer.write('mark', 'm', 0.5, 0);
    await expect(good).rejects.toThrow('REAL value');
    await expect(bad).rejects.toThrow('REAL value');
    expect(inbox.list({})).toEqual([]);
    expect(await add()).toBe(true);
    expect(inbox.list({})).toHaveLength(1);
    database.close();
  });
});
