import { expect, it } from 'vitest';
import type { ClaimedJob, ClaimResult, Queue } from '../../src/delivery/queue.js';
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

it('a claim that was made before a gap in the lease is released, also once the lease is renewed', async () => {
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
      expect(interrupted).toBe(false);
      released.push(...jobs);
    },
  };
  const delivery = createStoredDelivery(
    { leaseMs: LEASE_MS },
    { concurrency: 1, leaseMs: LEASE_MS, pollMs: 10 },
    () => ({
      sql: EMPTY,
      queues: { inbox, outbox: idleQueue },
      lease: {
        async renew() {
          renewals += 1;
          return 0;
        },
        end: async () => {},
      },
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
