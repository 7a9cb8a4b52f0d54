import { describe, expect, it } from 'vitest';
import { openPostgresDatabase } from '../../src/delivery/postgres/index.js';
import { deferred } from '../helpers/deferred.js';
import { chatEvent } from '../helpers/events.js';
import { flakyPlatform } from '../helpers/fake-platform.js';
import { engineOn, type PostgresStore, postgresStore } from '../helpers/postgres.js';
import { AN_HOUR, eventually, notes, stage } from './contract/stage.js';

/** No process polls within the test; only notifications wake it. */
const NOTIFIED_ONLY = { pollMs: AN_HOUR, leaseMs: AN_HOUR };

/** The connections that listen for notifications of a store. */
const listeners = (store: PostgresStore) =>
  store.query(
    `SELECT pid FROM pg_stat_activity WHERE query LIKE 'LISTEN%' || left(encode(sha256($1), 'hex'), 24) || '%'`,
    [Buffer.from(store.schema)],
  );

describe('processes on one database', () => {
  it('notify each other of events that they have no free slot for', async () => {
    const store = await postgresStore();
    const set = await stage(engineOn(store, NOTIFIED_ONLY));
    const held = deferred();
    const seen = notes<string>();
    const busy = await set.open(
      async ({ key }) => {
        seen.add(`busy ${key}`);
        await held.promise;
      },
      { concurrency: 1 },
    );
    await busy.accept(chatEvent('a', { key: '1' }));
    await seen.until(1);
    const idle = await set.open(({ key }) => seen.add(`idle ${key}`));
    await idle.accept(chatEvent('b', { key: '2' }));
    await eventually(async () => {
      expect(await idle.queues.depth('inbox')).toMatchObject({ waiting: 1 });
      expect(await listeners(store)).toHaveLength(2);
    });
    await busy.accept(chatEvent('c', { key: '3' }));
    expect(await seen.until(3)).toEqual(['busy 1', 'idle 2', 'idle 3']);
    held.resolve();
  });

  it('are notified of a dead letter that an operator retries', async () => {
    const store = await postgresStore();
    const seen = notes<number>();
    let broken = true;
    const to = await (await stage(engineOn(store, NOTIFIED_ONLY))).open(
      () => {
        if (broken) throw new Error('broken');
        seen.add(1);
      },
      { maxAttempts: 1 },
    );
    await to.accept(chatEvent('c'));
    await eventually(async () => expect(await to.queues.depth('inbox')).toMatchObject({ dead: 1 }));
    broken = false;
    const outside = await openPostgresDatabase({
      connectionString: store.connectionString,
      schema: store.schema,
    });
    const [dead] = await outside.queues.list('inbox', { state: 'dead' });
    expect(await outside.queues.retry('inbox', dead?.id ?? '')).toBe(true);
    await outside.close();
    await seen.until(1);
  });

  it("are notified of the outcome of another process's reply", async () => {
    const set = await stage(engineOn(await postgresStore(), NOTIFIED_ONLY));
    const held = deferred();
    const platform = await flakyPlatform(async ({ text }) => {
      if (text === 'slow') await held.promise;
      return { status: text === 'bad' ? 400 : 200 };
    });
    const busy = await set.receive(platform.options, { concurrency: 1 });
    await busy.reply('a', 'slow');
    await eventually(() => expect(platform.calls).toHaveLength(1));
    const idle = await set.receive(platform.options);
    await (await idle.reply('b', 'first')).delivered();
    const good = await busy.reply('c', 'good');
    const bad = await busy.reply('d', 'bad');
    // Only the process that sent the reply knows the answer itself.
    expect(await good.delivered()).toBeNull();
    await expect(bad.delivered()).rejects.toMatchObject({ code: 'REPLY_FAILED' });
    expect(busy.reports).toEqual([]);
    expect(idle.reports).toMatchObject([{ error: { code: 'PLATFORM_REFUSED' } }]);
    held.resolve();
  });
});
