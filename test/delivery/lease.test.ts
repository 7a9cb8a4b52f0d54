import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../src/client/clock.js';
import { createClientWithClock } from '../../src/client/platform-client.js';
import { startLeaseRenewal } from '../../src/delivery/lease-renewal.js';
import type {
  ClaimedJob,
  ClaimResult,
  ProcessLease,
  ProcessRecord,
  Queue,
  RenewalResult,
} from '../../src/delivery/queue.js';
import { storeEvent } from '../../src/delivery/storage/encoding.js';
import type { SqlDatabase } from '../../src/delivery/storage/sql.js';
import { createStoredDelivery } from '../../src/delivery/stored-delivery.js';
import { deferred } from '../helpers/deferred.js';
import { chatEvent } from '../helpers/events.js';
import { flakyPlatform } from '../helpers/fake-platform.js';
import { logLines } from '../helpers/log-lines.js';
import { makeReceiver } from '../helpers/start.js';
import { identityOf, startChild } from './child-process.js';
import { AN_HOUR, eventually } from './contract/stage.js';

const LEASE_MS = 200;

/** A database that stores nothing. */
const EMPTY: SqlDatabase = {
  dialect: 'sqlite',
  receiverName: () => null,
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

/** A headers function that takes longer than the lease the first time. */
function slowlyFirst(): () => Promise<Record<string, string>> {
  let calls = 0;
  return async () => {
    calls += 1;
    if (calls === 1) pause();
    return {};
  };
}

const idleQueue: Queue = {
  add: async () => ({ id: '1', isDuplicate: false, isClaimed: false }),
  claim: async () => ({ jobs: [], nextDueInMs: null }),
  holds: async () => true,
  complete: async () => 'idle',
  fail: async () => 'idle',
  release: async () => {},
  releaseUnused: async () => {},
  beginAlone: async () => true,
  has: async () => false,
  statusOf: async () => [],
};

const renewed = { isNew: false, others: [], now: 0 };

const idleLease: ProcessLease = {
  renew: async () => renewed,
  reclaim: async () => 0,
  boundDueTimes: async () => {},
  end: async () => {},
};

interface FakeEngine {
  readonly inbox?: Queue;
  readonly outbox?: Queue;
  readonly lease?: Partial<ProcessLease>;
  readonly sql?: SqlDatabase;
  readonly leaseMs?: number;
}

/** A delivery on fake queues and a fake lease. */
const createDelivery = ({
  inbox = idleQueue,
  outbox = idleQueue,
  lease = {},
  sql = EMPTY,
  leaseMs = LEASE_MS,
}: FakeEngine) =>
  createStoredDelivery({ leaseMs }, { concurrency: 1, leaseMs, pollMs: 10 }, () => ({
    sql,
    queue: (name) => (name === 'inbox' ? inbox : outbox),
    lease: { ...idleLease, ...lease },
    forgetHooks: [],
    open: async () => {},
    close: async () => {},
  }));

/** Renews a lease without a delivery. */
const renewLease = (lease: Partial<ProcessLease>, leaseMs = AN_HOUR) =>
  startLeaseRenewal({
    lease: { ...idleLease, ...lease },
    leaseMs,
    lastClaim: () => 0,
    onRenewed: async () => {},
    onLate: () => {},
    onError: () => {},
  });

/** A job that was claimed. */
const claimedJob = (claim: number, type: string, content: string): ClaimedJob => ({
  id: '1',
  conversation: 'c',
  type,
  content,
  attempt: 1,
  failures: 0,
  crashes: 0,
  interrupted: false,
  createdAt: Date.now(),
  claim,
});

/** A queue with one job until it is completed. It records the calls. */
function queueOfOne(type: string, content: string) {
  const calls: string[] = [];
  let isClaimed = false;
  let isDone = false;
  const queue: Queue = {
    ...idleQueue,
    async claim(claim) {
      if (isClaimed || isDone) return { jobs: [], nextDueInMs: null };
      isClaimed = true;
      return { jobs: [claimedJob(claim, type, content)], nextDueInMs: null };
    },
    async complete() {
      isDone = true;
      calls.push('complete');
      return 'idle';
    },
    async fail(_job, { error }) {
      isDone = true;
      calls.push(`fail: ${error}`);
      return 'lost';
    },
    async release(jobs) {
      if (jobs.length === 0) return;
      isClaimed = false;
      calls.push('release');
    },
  };
  return { queue, calls };
}

/** The whole process is paused for longer than its lease. */
const pause = (): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * LEASE_MS);
};

/** A started delivery on the given queue and lease, and the keys of handled events. */
async function startDelivery(inbox: Queue, lease: Partial<ProcessLease>) {
  const logged = logLines();
  const delivery = createDelivery({ inbox, lease });
  const handled: string[] = [];
  delivery.connect({
    name: 'default',
    hasBot: () => true,
    handles: () => true,
    handle: async ({ key }) => void handled.push(key),
    greet: async () => {},
    report: () => {},
    log: logged.log,
  });
  await delivery.start?.();
  return { delivery, handled, logged };
}

/** A queue whose first claim is answered by the test, with one job. */
function slowQueue() {
  const answer = deferred<ClaimResult>();
  const claims: number[] = [];
  const released: ClaimedJob[] = [];
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
  const event = chatEvent('c', { key: 'k' });
  return {
    inbox,
    released,
    claimed: () => eventually(() => expect(claims).toHaveLength(1)),
    answer(): ClaimedJob {
      const job = claimedJob(claims[0] ?? 0, event.name, storeEvent(event));
      answer.resolve({ jobs: [job], nextDueInMs: null });
      return job;
    },
  };
}

describe('a process', () => {
  it('releases a claim that it made before a gap in its lease, even after the lease is renewed', async () => {
    const queue = slowQueue();
    let renewals = 0;
    const { delivery, handled, logged } = await startDelivery(queue.inbox, {
      async renew() {
        renewals += 1;
        return { isNew: false, others: [], now: Date.now() };
      },
    });
    await queue.claimed();

    // The process is paused for longer than its lease while the answer is on its way, and renews the lease first.
    pause();
    const before = renewals;
    await eventually(() => expect(renewals).toBeGreaterThan(before));
    const job = queue.answer();
    await eventually(() => expect(queue.released).toEqual([job]));
    expect(handled).toEqual([]);
    expect(logged.about('lease was not renewed in time')).toMatchObject([{ leaseMs: LEASE_MS }]);
    await delivery.stop({ timeoutMs: 1_000 });
  });

  it('releases a claim that it made before another process considered it dead', async () => {
    const queue = slowQueue();
    let isNew = false;
    let renewals = 0;
    const { delivery, handled } = await startDelivery(queue.inbox, {
      async renew() {
        renewals += 1;
        return { isNew, others: [], now: Date.now() };
      },
    });
    await queue.claimed();
    isNew = true;
    const before = renewals;
    await eventually(() => expect(renewals).toBeGreaterThan(before + 1));
    isNew = false;
    const job = queue.answer();
    await eventually(() => expect(queue.released).toEqual([job]));
    expect(handled).toEqual([]);
    await delivery.stop({ timeoutMs: 1_000 });
  });

  it('counts its lease from the start of a renewal, not from its answer', async () => {
    const event = chatEvent('c', { key: 'k' });
    const { queue } = queueOfOne(event.name, storeEvent(event));
    let renewals = 0;
    let isLate = false;
    const inbox: Queue = {
      ...queue,
      claim: async (claim, limit) => (isLate ? queue.claim(claim, limit) : { jobs: [], nextDueInMs: null }),
    };
    const { delivery, handled } = await startDelivery(inbox, {
      async renew() {
        renewals += 1;
        if (renewals === 1) return renewed;
        if (renewals > 2) return new Promise(() => {});
        await sleep(1.5 * LEASE_MS);
        isLate = true;
        return renewed;
      },
    });
    await eventually(() => expect(renewals).toBe(3));
    await sleep(LEASE_MS);
    expect(handled).toEqual([]);
    await delivery.stop({ timeoutMs: 1_000 });
  });

  it.each([
    ['starts no handler if another process has reclaimed the event', false],
    ['starts the handler if no other process has reclaimed the event', true],
  ])('that is paused between the claim and the handler %s', async (_what, isHeld) => {
    const event = chatEvent('c', { key: 'k' });
    const inbox = queueOfOne(event.name, storeEvent(event));
    let pauses = 0;
    const delivery = createDelivery({
      inbox: { ...inbox.queue, holds: async () => isHeld },
      sql: {
        ...EMPTY,
        // Looks up the conversation for the handler's context.
        async read(sql) {
          if (sql.includes('FROM conversation')) {
            if (pauses === 0) pause();
            pauses += 1;
          }
          return [];
        },
      },
    });
    const { receiver, logged } = makeReceiver({ delivery });
    const handled: string[] = [];
    receiver.on('handoff.message', ({ text }) => void handled.push(text));
    await receiver.start();
    await eventually(() => expect(inbox.calls.length).toBeGreaterThan(0));
    await receiver.close();
    if (isHeld) expect([handled, inbox.calls]).toEqual([['x'], ['complete']]);
    else {
      expect(handled).toEqual([]);
      expect(inbox.calls[0]).toContain('longer than its lease');
      expect(logged.about('longer than its lease')[0]).toMatchObject({ code: 'CLAIM_LOST' });
    }
  });

  it.each([
    ['after it was started', { headers: slowlyFirst() }, systemClock],
    ['before the client repeats it', { retry: {} }, { ...systemClock, sleep: async () => pause() }],
  ])('releases a reply that it was about to send when it was paused %s', async (what, settings, clock) => {
    const repeats = what.includes('repeats');
    const platform = await flakyPlatform((_call, nth) =>
      repeats && nth === 1 ? { status: 429 } : { status: 200 },
    );
    const reply = { kind: 'reply', conversationId: 'c', text: 'Hello', timestamp: 1 };
    const outbox = queueOfOne('reply', JSON.stringify(reply));
    const sentAt: number[] = [];
    const delivery = createDelivery({
      outbox: {
        ...outbox.queue,
        async release(jobs, options) {
          sentAt.push(platform.calls.length);
          await outbox.queue.release(jobs, options);
        },
      },
    });
    const client = createClientWithClock({ ...platform.options, ...settings }, clock);
    const { receiver } = makeReceiver({ delivery, platform: client });
    await receiver.start();
    await eventually(() => expect(outbox.calls).toContain('complete'));
    expect(outbox.calls).toEqual(['release', 'complete']);
    expect(sentAt[0]).toBe(repeats ? 1 : 0);
    expect(platform.calls).toHaveLength(repeats ? 2 : 1);
    await receiver.close();
  });

  it('continues to renew its lease while the work after a renewal takes long', async () => {
    let releases = 0;
    let renewals = 0;
    const inbox: Queue = {
      ...idleQueue,
      releaseUnused() {
        releases += 1;
        return new Promise(() => {});
      },
    };
    const { delivery } = await startDelivery(inbox, {
      async renew() {
        renewals += 1;
        return renewed;
      },
    });
    await eventually(() => expect(releases).toBe(1));
    const before = renewals;
    await eventually(() => expect(renewals).toBeGreaterThan(before + 3));
    expect(releases).toBe(1);
    await delivery.stop({ timeoutMs: 1 });
  });

  it('soon repeats a renewal that failed', async () => {
    const leaseMs = 6_000;
    const times: number[] = [];
    const delivery = createDelivery({
      leaseMs,
      lease: {
        async renew() {
          times.push(performance.now());
          if (times.length === 2) throw new Error('the database is away');
          return renewed;
        },
      },
    });
    const { receiver } = makeReceiver({ delivery });
    await receiver.start();
    await eventually(() => expect(times.length).toBeGreaterThan(2));
    const [, failed = 0, repeated = 0] = times;
    expect(repeated - failed).toBeLessThan(leaseMs / 4);
    await receiver.close();
  });

  it('holds no claim for certain once a lease has passed by either clock', async () => {
    const { isClaimValid, stop } = await renewLease({});
    onTestFinished(stop);
    expect([isClaimValid(1), isClaimValid(0)]).toEqual([true, false]);
    for (const clock of [performance, Date]) {
      const later = clock.now() + AN_HOUR;
      const now = vi.spyOn(clock, 'now').mockReturnValue(later);
      const isValid = isClaimValid(1);
      now.mockRestore();
      expect(isValid).toBe(false);
    }
    expect(isClaimValid(1)).toBe(true);
  });

  it('renews its lease once more for a call that comes during a renewal', async () => {
    const answers = [deferred<RenewalResult>(), deferred<RenewalResult>()];
    let renewals = 0;
    const { renewNow, stop } = await renewLease({
      async renew() {
        renewals += 1;
        return answers[renewals - 2]?.promise ?? renewed;
      },
    });
    onTestFinished(stop);
    const first = expect(renewNow()).rejects.toThrow('the database is away');
    await eventually(() => expect(renewals).toBe(2));
    const second = renewNow();
    answers[0]?.reject(new Error('the database is away'));
    await first;
    await eventually(() => expect(renewals).toBe(3));
    answers[1]?.resolve(renewed);
    await second;
  });

  it('bounds delays at its start, and when the clock of the database was set back', async () => {
    let [renewals, bounds, setBackMs] = [0, 0, 0];
    const { stop } = await renewLease(
      {
        async renew() {
          renewals += 1;
          return { ...renewed, now: AN_HOUR + performance.now() - setBackMs };
        },
        async boundDueTimes() {
          bounds += 1;
        },
      },
      30,
    );
    onTestFinished(stop);
    const moreRenewals = async (): Promise<void> => {
      const before = renewals;
      await eventually(() => expect(renewals).toBeGreaterThan(before + 3));
    };
    await moreRenewals();
    expect(bounds).toBe(1);
    setBackMs = 900;
    await moreRenewals();
    expect(bounds).toBe(1);
    setBackMs = 5_000;
    await eventually(() => expect(bounds).toBe(2));
    await moreRenewals();
    expect(bounds).toBe(2);
  });

  it('reclaims nothing within a lease of its own failure, since the other may have failed too', async () => {
    const reclaimed: string[] = [];
    let renewals = 0;
    const silent = { owner: 'silent', renewals: 7, leaseMs: LEASE_MS, identity: null };
    const { delivery } = await startDelivery(idleQueue, {
      async renew() {
        renewals += 1;
        if (renewals % 3 === 0) throw new Error('the database is away');
        return { isNew: false, others: [silent], now: Date.now() };
      },
      async reclaim({ owner }) {
        reclaimed.push(owner);
        return 1;
      },
    });
    await eventually(() => expect(renewals).toBeGreaterThan(20));
    expect(reclaimed).toEqual([]);
    await delivery.stop({ timeoutMs: 1_000 });
  });

  it('reclaims from a process that is silent for a whole lease, at its start and after an outage', async () => {
    let isAway = false;
    let failures = 0;
    let looks = 0;
    let heartbeats = 0;
    const reclaimed: { readonly owner: string; readonly looks: number }[] = [];
    const record = (owner: string, renewals: number): ProcessRecord => ({
      owner,
      renewals,
      leaseMs: LEASE_MS,
      identity: null,
    });
    const { delivery } = await startDelivery(idleQueue, {
      async renew() {
        if (isAway) {
          failures += 1;
          throw new Error('the database is away');
        }
        looks += 1;
        heartbeats += 1;
        return { isNew: false, others: [record('silent', 7), record('alive', heartbeats)], now: Date.now() };
      },
      async reclaim({ owner }) {
        reclaimed.push({ owner, looks });
        return 1;
      },
    });
    /** Two checks are at most 0.6 leases apart, so a lease takes three checks. */
    const reclaimsAfterThree = async (): Promise<void> => {
      await eventually(() => expect(reclaimed).not.toEqual([]));
      expect(reclaimed[0]?.owner).toBe('silent');
      expect(reclaimed[0]?.looks).toBeGreaterThanOrEqual(3);
    };
    await reclaimsAfterThree();

    isAway = true;
    // A renewal that had begun may still succeed; a single failure is enough.
    await eventually(() => expect(failures).toBeGreaterThan(0));
    reclaimed.length = 0;
    looks = 0;
    isAway = false;
    await reclaimsAfterThree();
    expect(reclaimed.map(({ owner }) => owner)).not.toContain('alive');
    await delivery.stop({ timeoutMs: 1_000 });
  });

  it.runIf(process.platform === 'linux')(
    'reclaims from a process of the same machine once that has ended, before the next renewal',
    async () => {
      const child = startChild('sleep', ['600']);
      const record = { owner: 'child', renewals: 7, leaseMs: AN_HOUR, identity: identityOf(child.pid) };
      const reclaimed: string[] = [];
      const reports: number[] = [];
      const { stop } = await startLeaseRenewal({
        lease: {
          ...idleLease,
          renew: async () => ({ ...renewed, others: [record] }),
          async reclaim({ owner }) {
            reclaimed.push(owner);
            return 2;
          },
        },
        leaseMs: AN_HOUR,
        lastClaim: () => 0,
        onRenewed: async (count) => void reports.push(count),
        onLate: () => undefined,
        onError: () => undefined,
      });
      onTestFinished(stop);
      expect([reclaimed, reports]).toEqual([[], [0]]);
      child.kill('SIGKILL');
      await once(child, 'exit');
      await eventually(() => expect([reclaimed, reports]).toEqual([['child'], [0, 2]]));
    },
  );
});
