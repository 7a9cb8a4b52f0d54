import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { sqlite } from '../../src/delivery/sqlite/index.js';
import { createSqliteEngine } from '../../src/delivery/sqlite/sqlite.js';
import { storeEvent } from '../../src/delivery/storage/encoding.js';
import { deferred } from '../helpers/deferred.js';
import { chatEvent } from '../helpers/events.js';
import { temporaryFolder } from '../helpers/sqlite-store.js';
import { type Engine, eventually, notes, stage } from './contract/stage.js';

const LEASE_MS = 100;

/** Long enough for a busy machine to renew it in time. */
const LONG_LEASE_MS = 700;

/** Files with a short lease. */
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

/** Blocks the event loop for a while. */
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
    // For three leases, while both processes handle another conversation, neither runs it again.
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

  it('is not started twice by a process that was too busy to renew its lease', async () => {
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

  it('is reclaimed by another process when its process is gone, and the attempt counts', async () => {
    const file = join(await temporaryFolder(), 'handoff.db');
    const settings = { keepContent: false, leaseMs: LEASE_MS, pollMs: 1_000, onError: () => undefined };
    const gone = createSqliteEngine(file, settings, null);
    await gone.open();
    await gone.lease.renew({ renewals: 1, leaseMs: LEASE_MS, identity: null });
    const event = chatEvent('c', { key: 'k' });
    const job = { key: 'k', conversation: 'c', type: event.name, content: storeEvent(event) };
    expect(await gone.queue('inbox').add(job, 1)).toMatchObject({ isClaimed: true });
    await gone.close();

    const set = await stage({
      stores: true,
      createStore: async () => ({
        open: () => sqlite({ file, pollMs: 10, leaseMs: LEASE_MS }),
        remove: async () => {},
      }),
    });
    const seen = notes<[key: string, attempt: number]>();
    await set.open(({ key }, { attempt }) => seen.add([key, attempt]));
    expect(await seen.until(1)).toEqual([['k', 2]]);
  });
});
