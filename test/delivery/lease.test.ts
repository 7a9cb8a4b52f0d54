import { describe, expect, it } from 'vitest';
import type { ClaimedJob, ClaimResult, ProcessLease, Queue } from '../../src/delivery/queue.js';
import type { SqlDatabase } from '../../src/delivery/sql.js';
import { createStoredDelivery } from '../../src/delivery/stored-delivery.js';
import { storeEvent } from '../../src/delivery/stored-event.js';
import { deferred } from '../helpers/deferred.js';
import { chatEvent } from '../helpers/events.js';
import { logLines } from '../helpers/log-lines.js';
import { eventually } from './contract/stage.js';

const LEASE_MS = 200;

/** A database in which nothing is stored. */
const EMPTY: SqlDatabase = {
  dialect: 'sqlite',
  now: '0',
  table: (name) => name,
  list: () => '()',
  read: async () => [],
  write: async () => [],
  transaction: async () => [],
  migrate: async () => {},
  publish: () => {},
  subscribe: () => () => {},
  onForget: () => {},
};

const idleQueue: Queue = {
  add: async () => ({ id: '1', isDuplicate: false, isClaimed: false }),
  claim: async () => ({ jobs: [], nextDueInMs: null }),
  complete: async () => 'idle',
  fail: async () => 'idle',
  release: async () => {},
  releaseUnused: async () => {},
  has: async () => false,
  statusOf: async () => [],
};

/** A started delivery on the given queue and lease, and the keys of handled events. */
async function startDelivery(inbox: Queue, renew: ProcessLease['renew']) {
  const delivery = createStoredDelivery(
    { leaseMs: LEASE_MS },
    { concurrency: 1, leaseMs: LEASE_MS, pollMs: 10 },
    () => ({
      sql: EMPTY,
      queues: { inbox, outbox: idleQueue },
      lease: { renew, end: async () => {} },
      forgetHooks: [],
      open: async () => {},
      close: async () => {},
    }),
  );
  const handled: string[] = [];
  delivery.connect({
    handles: () => true,
    handle: async ({ key }) => void handled.push(key),
    greet: async () => {},
    report: () => {},
    log: logLines().log,
  });
  await delivery.start?.();
  return { delivery, handled };
}

describe('a process', () => {
  it('releases a claim that it made before a gap in its lease, also once the lease is renewed', async () => {
    const answer = deferred<ClaimResult>();
    const claims: number[] = [];
    const released: ClaimedJob[] = [];
    let renewals = 0;
    const inbox: Queue = {
      ...idleQueue,
      async claim(claim) {
        claims.push(claim);
        return claims.length === 1 ? answer.promise : { jobs: [], nextDueInMs: null };
      },
      async release(jobs, { interrupted }) {
        if (!interrupted) released.push(...jobs);
      },
    };
    const { delivery, handled } = await startDelivery(inbox, async () => {
      renewals += 1;
      return 0;
    });
    await eventually(() => expect(claims).toHaveLength(1));

    // The process is paused for longer than its lease while the answer is on its way, and renews the lease first.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * LEASE_MS);
    const before = renewals;
    await eventually(() => expect(renewals).toBeGreaterThan(before));
    const event = chatEvent('c', { key: 'k' });
    const job: ClaimedJob = {
      id: '1',
      conversation: 'c',
      type: event.name,
      content: storeEvent(event),
      attempt: 1,
      interrupted: false,
      createdAt: 1,
      claim: claims[0] ?? 0,
    };
    answer.resolve({ jobs: [job], nextDueInMs: null });
    await eventually(() => expect(released).toEqual([job]));
    expect(handled).toEqual([]);
    await delivery.stop({ timeoutMs: 1_000 });
  });

  it('reclaims from others only after two renewals: at its start, and after an outage of the database', async () => {
    let isAway = false;
    let failures = 0;
    const reclaims: boolean[] = [];
    const { delivery } = await startDelivery(idleQueue, async ({ reclaim }) => {
      if (isAway) {
        failures += 1;
        throw new Error('the database is away');
      }
      reclaims.push(reclaim);
      return 0;
    });
    await eventually(() => expect(reclaims).toContain(true));
    expect(reclaims.slice(0, 2)).toEqual([false, false]);

    isAway = true;
    // A renewal that had begun may still succeed; a single failure is enough.
    await eventually(() => expect(failures).toBeGreaterThan(0));
    reclaims.length = 0;
    isAway = false;
    await eventually(() => expect(reclaims).toContain(true));
    expect(reclaims.slice(0, 2)).toEqual([false, false]);
    await delivery.stop({ timeoutMs: 1_000 });
  });
});
