import { describe, expect, it, onTestFinished } from 'vitest';
import { chatEvent } from '../helpers/events.js';
import { flakyPlatform } from '../helpers/fake-platform.js';
import { createPostgresStore, engineOn, postgresStore } from '../helpers/postgres.js';
import { startServer } from '../helpers/postgres-server.js';
import { makeReceiver } from '../helpers/start.js';
import { eventually, notes, stage } from './contract/stage.js';

const QUICK = {
  pollMs: 100,
  leaseMs: 1_500,
  storeTimeoutMs: 2_000,
  pool: { connectionTimeoutMillis: 1_000 },
};

describe('connections that are cut', () => {
  it('are replaced, and no event is lost or out of order', async () => {
    // A separate server, because all its connections are cut.
    const server = await startServer();
    onTestFinished(() => server.remove());
    const store = await createPostgresStore(server.connectionString);
    const handled = notes<string>();
    const to = await (await stage(engineOn(store, QUICK))).open(({ key }) => handled.add(key));
    const cut = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'handoff-kit'`;
    const stored: string[] = [];
    for (let index = 0; index < 60; index += 1) {
      const key = String(index);
      if (index % 20 === 10) await store.query(cut);
      // Resends until it is stored, like a sender.
      await eventually(async () =>
        expect(await to.accept(chatEvent('c', { key }))).toMatch(/^(stored|duplicate)$/),
      );
      stored.push(key);
    }
    await eventually(async () =>
      expect(await to.queues.depth('inbox')).toMatchObject({ waiting: 0, dead: 0 }),
    );
    // An event whose handler ran while a connection was cut may have run twice.
    expect([...new Set(handled.all)]).toEqual(stored);
  });
});

describe('connections that are cut while many are in use', () => {
  it('are replaced without an unhandled error, whatever they were doing', async () => {
    const server = await startServer();
    onTestFinished(() => server.remove());
    const store = await createPostgresStore(server.connectionString);
    const platform = await flakyPlatform();
    // The cuts come faster than the retries end: on a busy machine one reply can fail more than the usual 8 times.
    const set = await stage(engineOn(store, QUICK));
    const to = await set.receive(platform.options, { maxAttempts: 1_000 });
    to.receiver.on('handoff.message', async ({ text, reply }) => void (await reply(text)));
    const unhandled: unknown[] = [];
    const onUnhandled = (error: unknown): void => void unhandled.push(error);
    process.on('uncaughtException', onUnhandled).on('unhandledRejection', onUnhandled);
    const cut = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'handoff-kit'`;
    const conversations = Array.from({ length: 12 }, (_, index) => `c-${index}`);
    await Promise.all([
      ...conversations.map(async (id) => {
        for (let index = 0; index < 20; index += 1) {
          const event = chatEvent(id, { key: `${id} ${index}`, text: String(index) });
          await eventually(async () => expect(await to.accept(event)).toMatch(/^(stored|duplicate)$/));
        }
      }),
      (async () => {
        // A connection with a transaction belongs to its caller for several statements.
        const statements = [
          { sql: 'SELECT 1 AS one' },
          { sql: 'SELECT pg_sleep(0.02)' },
          { sql: 'SELECT 1 AS one' },
        ];
        for (let count = 0; count < 40; count += 1) {
          await to.delivery.database?.transaction(statements).catch(() => null);
        }
      })(),
      (async () => {
        for (let cuts = 0; cuts < 25; cuts += 1) {
          await eventually(() => store.query(cut));
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      })(),
    ]);
    await eventually(async () => {
      expect(await to.queues.depth('inbox')).toMatchObject({ waiting: 0, dead: 0 });
      expect(await to.queues.depth('outbox')).toMatchObject({ waiting: 0, dead: 0 });
    });
    process.off('uncaughtException', onUnhandled).off('unhandledRejection', onUnhandled);
    expect(unhandled).toEqual([]);
    const all = Array.from({ length: 20 }, (_, index) => String(index));
    for (const id of conversations) expect([...new Set(platform.said(id))]).toEqual(all);
  });
});

describe('a database that cannot answer', () => {
  it('makes the receiver answer 503 within the time limit, and the event is stored later', async () => {
    const store = await postgresStore();
    const seen = notes<string>();
    const to = await (await stage(engineOn(store, { ...QUICK, storeTimeoutMs: 200 }))).open(({ key }) =>
      seen.add(key),
    );
    await to.accept(chatEvent('c', { key: 'before' }));
    await seen.until(1);
    const release = await lockTables(store);
    const event = chatEvent('c', { key: 'during' });
    expect(await to.accept(event)).toBe('unavailable');
    expect(await to.delivery.seen(event)).toBe(false);
    await release();
    await eventually(async () => expect(await to.accept(event)).toMatch(/^(stored|duplicate)$/));
    expect(await seen.until(2)).toEqual(['before', 'during']);
  });

  it('makes start() reject while it is down; events and a second start() succeed once it is back', async () => {
    const server = await startServer();
    onTestFinished(() => server.remove());
    await server.stop();
    const seen = notes<string>();
    const store = { connectionString: server.connectionString, schema: 'handoff_kit' };
    const set = await stage(engineOn(store, QUICK));
    const delivery = await set.openDelivery();
    const { receiver, logged } = makeReceiver({ delivery });
    receiver.on('handoff.message', ({ payload }) => seen.add(payload.body));
    await expect(receiver.start()).rejects.toMatchObject({ code: 'DATABASE_UNUSABLE' });
    const event = chatEvent('c', { text: 'early' });
    expect(await delivery.accept(event)).toBe('unavailable');
    expect(logged.about('the database cannot be used')).toMatchObject([{ code: 'DATABASE_UNUSABLE' }]);
    await server.start();
    await eventually(async () => expect(await delivery.accept(event)).toBe('stored'));
    await eventually(() => receiver.start());
    expect(await seen.until(1)).toEqual(['early']);
  });
});

describe('a database that is restarted', () => {
  it('is used again once it is back: no event is lost, and the log has few lines about it', async () => {
    const server = await startServer();
    onTestFinished(() => server.remove());
    const store = await createPostgresStore(server.connectionString);
    const handled = notes<string>();
    const to = await (await stage(engineOn(store, QUICK))).open(({ key }) => handled.add(key));
    for (const key of ['1', '2']) await to.accept(chatEvent('c', { key }));
    await server.stop();
    expect(await to.accept(chatEvent('c', { key: '3' }))).toBe('unavailable');
    await to.logged.until('the database cannot be used');
    await server.start();
    for (const key of ['3', '4']) {
      await eventually(async () => expect(await to.accept(chatEvent('c', { key }))).toBe('stored'));
    }
    await eventually(async () =>
      expect(await to.queues.depth('inbox')).toMatchObject({ waiting: 0, dead: 0 }),
    );
    expect([...new Set(handled.all)]).toEqual(['1', '2', '3', '4']);
    expect(to.logged.about('the database cannot be used').length).toBeLessThan(5);
  });
});

/** Locks the job table, like a migration or a stuck transaction. Resolves to a function that releases it. */
async function lockTables(store: Awaited<ReturnType<typeof postgresStore>>): Promise<() => Promise<void>> {
  const locked = store.query(`BEGIN; LOCK TABLE ${store.schema}.job; SELECT pg_sleep(60)`).catch(() => []);
  const holders = () =>
    store.query(
      `SELECT pid FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted AND relation = '${store.schema}.job'::regclass`,
    );
  await eventually(async () => expect(await holders()).not.toEqual([]));
  return async () => {
    for (const { pid } of await holders()) await store.query('SELECT pg_terminate_backend($1)', [pid]);
    await locked;
  };
}
