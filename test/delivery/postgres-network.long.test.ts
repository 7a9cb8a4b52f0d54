import { setTimeout as sleep } from 'node:timers/promises';
import request from 'supertest';
import { describe, expect, it } from 'vitest';
import type { Delivery } from '../../src/delivery/index.js';
import { postgres } from '../../src/delivery/postgres/index.js';
import { chatBody } from '../fixtures/bodies.js';
import { deferred } from '../helpers/deferred.js';
import { chatEvent } from '../helpers/events.js';
import { engineOn, postgresStore } from '../helpers/postgres.js';
import { start } from '../helpers/start.js';
import { type TcpProxy, tcpProxy } from '../helpers/tcp-proxy.js';
import { AN_HOUR, eventually, notes, stage } from './contract/stage.js';
import { checkLostAnswer } from './lost-answer.js';

const QUICK = {
  pollMs: 50,
  leaseMs: 1_000,
  storeTimeoutMs: 1_000,
  pool: { max: 4, connectionTimeoutMillis: 2_000, query_timeout: 2_000 },
};

/** A database behind a network that fails on demand. */
async function behindProxy() {
  const store = await postgresStore();
  const url = new URL(store.connectionString);
  const proxy = await tcpProxy(Number(url.port || 5432));
  url.hostname = '127.0.0.1';
  url.port = String(proxy.port);
  return { proxy, direct: store, store: { ...store, connectionString: url.href } };
}

/** Sends until the event is stored, like a sender. */
async function insist(accept: () => Promise<string> | string): Promise<void> {
  await eventually(async () => expect(await accept()).toMatch(/^(stored|duplicate)$/));
}

describe('a network that cuts connections', () => {
  it('loses no event that was answered 200, and keeps the order', async () => {
    const { proxy, store } = await behindProxy();
    const handled = notes<string>();
    const to = await (await stage(engineOn(store, QUICK))).open(({ key }) => handled.add(key));
    const keys = Array.from({ length: 60 }, (_, index) => String(index));
    for (const key of keys) {
      if (Number(key) % 15 === 7) proxy.cut();
      await insist(() => to.accept(chatEvent('c', { key })));
    }
    await eventually(async () =>
      expect(await to.queues.depth('inbox')).toMatchObject({ waiting: 0, dead: 0 }),
    );
    // An event whose handler ran while a connection was cut may have run twice.
    expect([...new Set(handled.all)]).toEqual(keys);
  });

  it.each([
    ['add', 'added_key AS'],
    ['claim', 'SKIP LOCKED'],
    ['complete', 'USING advanced'],
    ['fail', 'postponed AS'],
    ['release', 'f.seq AND $6'],
  ])('after a commit, before its answer, leaves nothing claimed or unhandled: %s', async (_call, text) => {
    const { proxy, store } = await behindProxy();
    const { connectionString, schema } = store;
    const backoff = { minDelayMs: 1, maxDelayMs: 1 };
    const delivery = postgres({ ...QUICK, connectionString, schema, concurrency: 1, backoff });
    await checkLostAnswer(delivery, {
      arm: () => proxy.loseAnswerTo(text),
      isLost: () => proxy.hasLostAnswer,
    });
  });

  it('and refuses new connections makes the receiver answer 503 and recover automatically', async () => {
    const { proxy, store } = await behindProxy();
    const { connectionString, schema } = store;
    const delivery = postgres({ ...QUICK, connectionString, schema });
    const to = await start({ delivery });
    const handled = notes<string>();
    to.receiver.on('handoff.message', ({ payload }) => handled.add(payload.body));
    await to.receiver.start();
    const send = async (body: string) =>
      (
        await request(to.url)
          .post('/chat')
          .send(chatBody({ conversation_id: 'c', body }))
      ).status;
    await eventually(async () => expect(await send('before')).toBe(200));
    await handled.until(1);
    proxy.refuse(true);
    proxy.cut();
    expect(await send('during')).toBe(503);
    proxy.refuse(false);
    await eventually(async () => expect(await send('after')).toBe(200));
    await eventually(() => expect(handled.all).toContain('after'));
    await to.receiver.close();
  });
});

describe('a network that drops everything without closing connections', () => {
  it('makes the receiver answer 503 and recover with new connections', async () => {
    const { proxy, store } = await behindProxy();
    const handled = notes<string>();
    const to = await (await stage(engineOn(store, QUICK))).open(({ key }) => handled.add(key));
    await insist(() => to.accept(chatEvent('c', { key: 'before' })));
    await handled.until(1);
    const made = proxy.made;
    proxy.swallow();
    expect(await to.accept(chatEvent('c', { key: 'during' }))).toBe('unavailable');
    await insist(() => to.accept(chatEvent('c', { key: 'after' })));
    await eventually(() => expect(handled.all).toContain('after'));
    expect(proxy.made).toBeGreaterThan(made);
    await insist(() => to.accept(chatEvent('c', { key: 'later' })));
    await eventually(() => expect(handled.all).toContain('later'));
    await eventually(async () =>
      expect(await to.queues.depth('inbox')).toMatchObject({ waiting: 0, dead: 0 }),
    );
  });

  it('does not prevent the end of a handled event from being stored', async () => {
    const { proxy, store } = await behindProxy();
    const handled = notes<string>();
    const to = await (await stage(engineOn(store, QUICK))).open(({ key }) => {
      // The connections that are open when the handler ends will never work again.
      if (key === '1') proxy.swallow();
      handled.add(key);
    });
    for (const key of ['1', '2']) await insist(() => to.accept(chatEvent('c', { key })));
    await eventually(() => expect(handled.all).toContain('2'));
    await eventually(async () =>
      expect(await to.queues.depth('inbox')).toMatchObject({ waiting: 0, dead: 0 }),
    );
  });
});

describe('a process that lives', () => {
  /** One connection, on which a statement may outlast the lease, unused between renewals. */
  const LONG = {
    ...QUICK,
    pollMs: AN_HOUR,
    leaseMs: 3_000,
    pool: { ...QUICK.pool, max: 1, query_timeout: 7_000 },
  };

  it.each<[string, (proxy: TcpProxy, delivery: Delivery) => unknown]>([
    ['all its connections are dead, but new connections work', (proxy) => proxy.swallow()],
    [
      'its pool has no free connection',
      (_proxy, { database }) => database?.read('SELECT pg_sleep(6)').catch(() => []),
    ],
  ])('keeps its claims while %s', async (_what, disturb) => {
    const { proxy, store, direct } = await behindProxy();
    const handled = notes<string>();
    const end = deferred();
    const living = await (await stage(engineOn(store, LONG))).open(async () => {
      handled.add('the living process');
      await end.promise;
    });
    await insist(() => living.accept(chatEvent('c')));
    await handled.until(1);
    await (await stage(engineOn(direct, LONG))).open(() => handled.add('the other one'));
    // By then it renews its lease in the regular way.
    await sleep(LONG.leaseMs / 2);
    void disturb(proxy, living.delivery);
    await sleep(2 * LONG.leaseMs);
    end.resolve();
    await eventually(async () =>
      expect(await living.queues.depth('inbox')).toMatchObject({ waiting: 0, dead: 0 }),
    );
    expect(handled.all).toEqual(['the living process']);
  });
});

describe('a pool without a free connection', () => {
  it('of a single connection is enough for everything', async () => {
    const store = await postgresStore();
    const handled = notes<[key: string, attempt: number]>();
    const engine = engineOn(store, { ...QUICK, storeTimeoutMs: 5_000, pool: { max: 1 } });
    const to = await (await stage(engine)).open(
      ({ key }, { attempt }) => {
        handled.add([key, attempt]);
        if (key === 'bad' || (key === 'again' && attempt === 1)) throw new Error('no');
      },
      { maxAttempts: 2 },
    );
    const keys = ['good', 'again', 'bad'];
    await Promise.all(keys.map((key) => to.accept(chatEvent(key, { key }))));
    await eventually(async () =>
      expect(await to.queues.depth('inbox')).toMatchObject({ waiting: 0, dead: 1 }),
    );
    expect(handled.all.toSorted(([a, x], [b, y]) => a.localeCompare(b) || x - y)).toEqual([
      ['again', 1],
      ['again', 2],
      ['bad', 1],
      ['bad', 2],
      ['good', 1],
    ]);
  });

  it('makes the receiver answer 503 while its only connection waits for a lock, and works afterwards', async () => {
    const store = await postgresStore();
    const handled = notes<string>();
    const engine = engineOn(store, { ...QUICK, pool: { ...QUICK.pool, max: 1 } });
    const to = await (await stage(engine)).open(({ key }) => handled.add(key));
    await insist(() => to.accept(chatEvent('c', { key: 'before' })));
    await handled.until(1);
    const sleeping = store
      .query(`BEGIN; LOCK TABLE ${store.schema}.job; SELECT pg_sleep(60)`)
      .catch(() => []);
    const holders = () =>
      store.query(
        `SELECT pid FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted AND relation = '${store.schema}.job'::regclass`,
      );
    await eventually(async () => expect(await holders()).not.toEqual([]));
    const accepted = await Promise.all(['1', '2', '3'].map((key) => to.accept(chatEvent(key, { key }))));
    expect(accepted).toEqual(['unavailable', 'unavailable', 'unavailable']);
    for (const { pid } of await holders()) await store.query('SELECT pg_terminate_backend($1)', [pid]);
    await sleeping;
    for (const key of ['1', '2', '3']) await insist(() => to.accept(chatEvent(key, { key })));
    await eventually(() => expect(handled.all.toSorted()).toEqual(['1', '2', '3', 'before']));
  });
});

describe('a process that is paused for longer than the database may take', () => {
  it('accepts the answer that arrived during the pause', async () => {
    const settings = { leaseMs: 60_000, storeTimeoutMs: 500 };
    const handled = notes<string>();
    const to = await (await stage(engineOn(await postgresStore(), settings))).open(({ key }) =>
      handled.add(key),
    );
    await insist(() => to.accept(chatEvent('c', { key: 'before' })));
    await handled.until(1);
    const accepted = to.accept(chatEvent('c', { key: 'meanwhile' }));
    // The statement is sent in the turn before this one.
    setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_000));
    expect(await accepted).toBe('stored');
    await handled.until(2);
  });
});
