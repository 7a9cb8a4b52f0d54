import { describe, expect, it, onTestFinished } from 'vitest';
import type { ClaimedJob, NewJob, Queue } from '../../../src/delivery/queue.js';
import { conversationKey } from '../../../src/delivery/storage/encoding.js';
import { createSqlHandoffStore } from '../../../src/delivery/storage/handoff-store.js';
import { createQueueAdmin } from '../../../src/delivery/storage/queue-admin.js';
import { startRetention } from '../../../src/delivery/storage/retention.js';
import type { StorageEngine } from '../../../src/delivery/storage/storage-engine.js';
import { eventually } from '../contract/stage.js';

/** A separate database for each test. */
export interface QueueDatabase {
  /** Opens it as another process. */
  connect(settings: { readonly leaseMs: number; readonly keepContent: boolean }): StorageEngine;
  remove(): Promise<void>;
}

const AN_HOUR = 3_600_000;
const RETRY = { error: 'not yet', retryInMs: 0, counts: true };
const renewal = (renewals: number) => ({ renewals, leaseMs: 1_000, identity: 'here' });
const DEAD = { error: 'never', retryInMs: null, counts: true };

/** The behaviour of both databases' queues, below workers and deliveries. */
export function describeQueue(name: string, createDatabase: () => Promise<QueueDatabase>): void {
  const openDatabase = async () => {
    const database = await createDatabase();
    const open: StorageEngine[] = [];
    onTestFinished(async () => {
      for (const engine of open) await engine.close();
      await database.remove();
    });
    return {
      async connect({ leaseMs = AN_HOUR, keepContent = false } = {}) {
        const engine = database.connect({ leaseMs, keepContent });
        open.push(engine);
        await engine.open();
        return createProcess(engine);
      },
    };
  };
  const connect = async (settings: { leaseMs?: number; keepContent?: boolean } = {}) =>
    (await openDatabase()).connect(settings);

  /** Two processes on one database. */
  const connectTwo = async () => {
    const database = await openDatabase();
    const paused = await database.connect();
    const other = await database.connect();
    await paused.lease.renew(renewal(1));
    return { paused, other };
  };
  /** Reclaims from every known process, as if all leases had expired. */
  const reclaim = async ({ lease }: ReturnType<typeof createProcess>): Promise<number> => {
    let reclaimed = 0;
    for (const record of (await lease.renew(renewal(1))).others) reclaimed += await lease.reclaim(record);
    return reclaimed;
  };

  describe(`the queue in ${name}`, () => {
    it('claims a job as it is added if its conversation is idle', async () => {
      const { add, inbox, claimed } = await connect();
      expect(await add('a1', 'a', 1)).toMatchObject({ isDuplicate: false, isClaimed: true });
      expect(await add('a2', 'a', 2)).toMatchObject({ isDuplicate: false, isClaimed: false });
      expect(await add('b1', 'b', null)).toMatchObject({ isDuplicate: false, isClaimed: false });
      expect(await add('b2', 'b', 3)).toMatchObject({ isDuplicate: false, isClaimed: false });
      expect(await claimed(4)).toEqual(['b1']);
      expect(await inbox.complete(await jobOf(inbox, 'a', 1, '1'))).toBe('more');
      expect(await claimed(5)).toEqual(['a2']);
    });

    it('adds a key once, and names the job that has it', async () => {
      const { add, inbox, outbox } = await connect();
      const [first, second] = await Promise.all([add('k', 'c'), add('k', 'c')]);
      expect([first, second]).toMatchObject([{ isDuplicate: false }, { isDuplicate: true, id: first?.id }]);
      expect(await inbox.has('k')).toBe(true);
      expect(await inbox.has('other')).toBe(false);
      // Each queue has its own keys.
      expect(await outbox.has('k')).toBe(false);
      expect(await outbox.add(newJob('k', 'c'), null)).toMatchObject({ isDuplicate: false });
    });

    it('claims the first job of each conversation, up to the limit, and none twice', async () => {
      const { add, claimed } = await connect();
      for (const key of ['a1', 'a2', 'b1', 'c1']) await add(key, key.slice(0, 1));
      expect(await claimed(1, 2)).toEqual(['a1', 'b1']);
      expect(await claimed(2, 10)).toEqual(['c1']);
      expect(await claimed(3, 10)).toEqual([]);
    });

    it('counts failed attempts and interruptions separately, and postponements not at all', async () => {
      const { add, inbox, claim, counts } = await connect();
      await add('k', 'c');
      await inbox.fail(await claim(1), RETRY);
      await inbox.release([await claim(2)], { interrupted: true });
      await inbox.release([await claim(3)], { interrupted: false });
      await inbox.fail(await claim(4), { ...RETRY, counts: false });
      expect(await counts()).toEqual([{ attempts: 1, interruptions: 1, error: 'not yet' }]);
      expect(await claim(5)).toMatchObject({ attempt: 3, interrupted: true, claim: 5 });
    });

    it('gives a failed job to no process before its time, and blocks no other conversation', async () => {
      const { add, inbox, claim, claimed } = await connect();
      await add('a1', 'a');
      await add('a2', 'a');
      expect(await inbox.fail(await claim(1), { ...RETRY, retryInMs: AN_HOUR })).toBe('idle');
      await add('b1', 'b');
      expect(await claimed(2)).toEqual(['b1']);
    });

    it('lets no job wait for longer than its delay after the clock was set back, or longer than a day', async () => {
      const { add, inbox, claim, claimed, lease, sql } = await connect();
      const setBack = () => sql.write(`UPDATE ${sql.table('head')} SET due_at = due_at + ${24 * AN_HOUR}`);
      for (const id of ['delayed', 'running', 'waiting']) await add(id, id);
      await inbox.fail(await claim(1), { ...RETRY, retryInMs: AN_HOUR });
      const running = await claim(2);
      await setBack();
      expect(await claimed(3)).toEqual([]);
      await lease.boundDueTimes();
      expect(await claimed(4, 10)).toEqual(['waiting']);
      await inbox.release([running], { interrupted: false });
      expect(await claimed(5, 10)).toEqual(['running']);
      const dueTimes = `SELECT due_at <= ${sql.now} + ${AN_HOUR} AS is_bound, delay_ms FROM ${sql.table('head')}
        WHERE conversation = 'delayed'`;
      const [row] = await sql.read(dueTimes);
      expect([Number(row?.is_bound), Number(row?.delay_ms)]).toEqual([1, AN_HOUR]);

      await add('far', 'far');
      await inbox.fail(await claim(6), { ...RETRY, retryInMs: Number.POSITIVE_INFINITY });
      const [far] = await sql.read(`SELECT delay_ms FROM ${sql.table('head')} WHERE conversation = 'far'`);
      expect(Number(far?.delay_ms)).toBe(24 * AN_HOUR);
    });

    it('says whether more of the conversation is due', async () => {
      const { add, inbox, claim } = await connect();
      for (const key of ['1', '2', '3']) await add(key, 'c');
      expect(await inbox.complete(await claim(1))).toBe('more');
      expect(await inbox.fail(await claim(2), DEAD)).toBe('more');
      expect(await inbox.complete(await claim(3))).toBe('idle');
    });

    it('reports the outcome of jobs', async () => {
      const { add, inbox, claim, admin } = await connect();
      const ids: string[] = [];
      for (const key of ['done', 'dead', 'discarded', 'waiting']) ids.push((await add(key, 'c')).id);
      await inbox.complete(await claim(1));
      await inbox.fail(await claim(2), DEAD);
      await inbox.fail(await claim(3), DEAD);
      await admin.discard('inbox', ids[2] ?? '');
      expect(await inbox.statusOf([...ids, '999999', '0'])).toEqual([
        { state: 'done' },
        { state: 'dead', error: 'never' },
        { state: 'gone' },
        { state: 'waiting' },
        { state: 'gone' },
        { state: 'gone' },
      ]);
    });

    it('keeps finished jobs with keepContent', async () => {
      const { add, inbox, claim, admin } = await connect({ keepContent: true });
      const { id } = await add('k', 'c');
      await inbox.fail(await claim(1), RETRY);
      await inbox.complete(await claim(2));
      expect(await admin.list('inbox')).toMatchObject([{ id, state: 'done', attempts: 2, error: null }]);
      expect(await inbox.statusOf([id])).toEqual([{ state: 'done' }]);
    });

    it('removes heads that have no job, and never claims them', async () => {
      const { add, sql, claimed, stats } = await connect();
      await add('k', 'c');
      await sql.write(`DELETE FROM ${sql.table('job')}`);
      for (const claim of [1, 2]) expect(await claimed(claim)).toEqual([]);
      expect(await stats()).toMatchObject({ waiting: 0 });
      await add('later', 'c');
      expect(await claimed(3)).toEqual(['later']);
    });

    it('drains 10,000 conversations, some with retries: each due job once, and no other', async () => {
      const { add, inbox, stats } = await connect();
      const COUNT = 10_000;
      await Promise.all(Array.from({ length: COUNT }, (_, nth) => add(`${nth}`, `c-${nth}`)));
      const retried: string[] = [];
      const later: string[] = [];
      for (const [nth, job] of (await inbox.claim(1, 300)).jobs.entries()) {
        const isLater = nth % 3 === 0;
        (isLater ? later : retried).push(job.id);
        await inbox.fail(job, { ...RETRY, retryInMs: isLater ? AN_HOUR : 0 });
      }
      const seen: string[] = [];
      for (let claim = 2; ; claim += 1) {
        const { jobs } = await inbox.claim(claim, 500);
        if (jobs.length === 0) break;
        seen.push(...jobs.map(({ id }) => id));
        await Promise.all(jobs.map((job) => inbox.complete(job)));
      }
      expect(seen).toHaveLength(COUNT - later.length);
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen.filter((id) => later.includes(id))).toEqual([]);
      expect(seen.filter((id) => retried.includes(id))).toHaveLength(retried.length);
      expect(await stats()).toMatchObject({ waiting: later.length, dead: 0 });
    });
  });

  describe(`claims in ${name}`, () => {
    it('of a process that was paused for longer than its lease go to another, as an interruption', async () => {
      const { paused, other } = await connectTwo();
      for (const key of ['1', '2']) await paused.add(key, 'c');
      const stale = await paused.claim(1);
      expect(await other.claimed(1)).toEqual([]);
      expect(await reclaim(other)).toBe(1);
      const job = await other.claim(2);
      expect(job).toMatchObject({ id: stale.id, attempt: 2, interrupted: true });

      // The first process can no longer change anything.
      expect(await paused.inbox.complete(stale)).toBe('lost');
      expect(await paused.inbox.fail(stale, RETRY)).toBe('lost');
      expect(await paused.inbox.fail(stale, DEAD)).toBe('lost');
      await paused.inbox.release([stale], { interrupted: true });
      await paused.inbox.releaseUnused([], 100);
      await paused.lease.end();
      expect(await other.counts()).toEqual([
        { attempts: 0, interruptions: 1, error: null },
        { attempts: 0, interruptions: 0, error: null },
      ]);
      expect(await paused.claimed(2)).toEqual([]);
      expect(await other.inbox.complete(job)).toBe('more');
      expect(await other.claimed(3)).toEqual(['2']);
    });

    it('are fencing tokens: a reply is added only while the claim that it names is held', async () => {
      const { paused, other } = await connectTwo();
      for (const id of ['a', 'b']) await paused.add(id, id);
      const [lost, kept] = [await paused.claim(1), await paused.claim(2)];
      const reply = (of: ClaimedJob, key: string) =>
        paused.outbox.add({ ...newJob(key, of.conversation), onBehalfOf: { queue: 'inbox', ...of } }, 3);
      expect(await reply(lost, 'first')).toMatchObject({ isDuplicate: false, isClaimed: true });
      expect(await reply(kept, 'first of b')).toMatchObject({ isDuplicate: false, isClaimed: true });
      expect([await paused.inbox.holds(lost), await other.inbox.holds(lost)]).toEqual([true, false]);

      expect(await reclaim(other)).toBe(4);
      expect(await paused.inbox.holds(lost)).toBe(false);
      const renewed = await other.claim(1);
      expect(renewed.id).toBe(lost.id);
      // Even if the reply is a repeat, or the other process's claim has the same number.
      for (const key of ['second', 'first'])
        expect(await reply(lost, key)).toMatchObject({ isRefused: true });
      expect(
        await other.outbox.add({ ...newJob('third', 'a'), onBehalfOf: { queue: 'inbox', ...renewed } }, null),
      ).toMatchObject({
        isDuplicate: false,
      });
      expect(await paused.outbox.has('second')).toBe(false);
      expect(await other.admin.list('outbox')).toHaveLength(3);
    });

    it('of one batch are independent: a refused reply does not block the others', async () => {
      const { add, inbox, outbox, claim, admin } = await connect();
      for (const id of ['a', 'b']) await add(id, id);
      const [done, held] = [await claim(1), await claim(2)];
      await inbox.complete(done);
      const results = await Promise.all([
        outbox.add({ ...newJob('1', 'a'), onBehalfOf: { queue: 'inbox', ...done } }, null),
        outbox.add({ ...newJob('2', 'b'), onBehalfOf: { queue: 'inbox', ...held } }, null),
        outbox.add(newJob('3', 'a'), null),
        outbox.add({ ...newJob('2', 'b'), onBehalfOf: { queue: 'inbox', ...held } }, null),
        outbox.add({ ...newJob('4', 'b'), onBehalfOf: { queue: 'inbox', ...held } }, null),
      ]);
      expect(results.map(({ isRefused = false, isDuplicate }) => ({ isRefused, isDuplicate }))).toEqual([
        { isRefused: true, isDuplicate: false },
        { isRefused: false, isDuplicate: false },
        { isRefused: false, isDuplicate: false },
        { isRefused: false, isDuplicate: true },
        { isRefused: false, isDuplicate: false },
      ]);
      expect(results[3]?.id).toBe(results[1]?.id);
      expect((await admin.list('outbox')).map(({ conversationId }) => conversationId).toSorted()).toEqual([
        'a',
        'b',
        'b',
      ]);
    });

    it('of a process that died count as interruptions of the jobs it ran, whatever was retried since', async () => {
      const { paused, other } = await connectTwo();
      const { id: first } = await paused.add('first', 'c');
      await paused.inbox.fail(await paused.claim(1), DEAD);
      await paused.add('second', 'c');
      const running = await paused.claim(2);
      expect(await other.admin.retry('inbox', first)).toBe(true);
      expect(await reclaim(other)).toBe(1);
      const retried = await other.claim(1);
      expect(retried).toMatchObject({ id: first, interrupted: false, crashes: 0 });
      await other.inbox.complete(retried);
      expect(await other.claim(2)).toMatchObject({ id: running.id, interrupted: true, crashes: 1 });
    });

    it('of a process that died make a job a suspect, whose later deaths count alone', async () => {
      const database = await openDatabase();
      const observer = await database.connect();
      await observer.add('k', 'c');
      /** One process after another claims the job and dies. */
      const die = async (runsAlone: boolean): Promise<number> => {
        const dying = await database.connect();
        await dying.lease.renew(renewal(1));
        const job = await dying.claim(1);
        if (runsAlone) expect(await dying.inbox.beginAlone(job)).toBe(true);
        expect(await reclaim(observer)).toBe(1);
        expect(await dying.inbox.beginAlone(job)).toBe(false);
        return job.crashes;
      };
      const before: number[] = [];
      for (const runsAlone of [false, false, false, true, false, true]) before.push(await die(runsAlone));
      expect(before).toEqual([0, 1, 2, 2, 3, 3]);

      // A run that ends, however it ends, is no evidence.
      const suspect = await observer.claim(10);
      expect(suspect).toMatchObject({ crashes: 4, attempt: 7, failures: 0 });
      await observer.inbox.beginAlone(suspect);
      await observer.inbox.release([suspect], { interrupted: true });
      const released = await observer.claim(11);
      expect(released.crashes).toBe(0);
      await observer.inbox.beginAlone(released);
      await observer.inbox.fail(released, RETRY);
      expect(await observer.claim(12)).toMatchObject({ crashes: 0, failures: 1 });
    });

    it('that were released and made again have another number, and the first is lost', async () => {
      const { add, inbox, claim, counts, stats } = await connect();
      await add('k', 'c');
      const first = await claim(1);
      await inbox.release([first], { interrupted: false });
      const second = await claim(2);
      expect(await inbox.complete(first)).toBe('lost');
      expect(await inbox.fail(first, DEAD)).toBe('lost');
      await inbox.release([first], { interrupted: true });
      expect(await counts()).toEqual([{ attempts: 0, interruptions: 0, error: null }]);
      expect(await inbox.complete(second)).toBe('idle');
      expect(await stats()).toMatchObject({ waiting: 0, dead: 0 });
    });

    it('are reclaimed from an owner without a lease, which claimed after its end', async () => {
      const { paused, other } = await connectTwo();
      for (const id of ['a', 'b']) await paused.add(id, id);
      await paused.lease.end();
      await paused.claim(1);
      await paused.add('c', 'c', 2);
      expect(await reclaim(other)).toBe(2);
      expect(await other.claimed(1, 10)).toHaveLength(3);
    });

    it('stay with a process that renews its lease', async () => {
      const database = await openDatabase();
      const [one, other] = [await database.connect(), await database.connect()];
      expect(await one.lease.renew(renewal(1))).toMatchObject({ isNew: true, others: [] });
      await one.add('k', 'c', 1);
      const { others } = await other.lease.renew(renewal(1));
      expect(others).toMatchObject([renewal(1)]);
      expect(await one.lease.renew(renewal(2))).toMatchObject({ isNew: false, others: [renewal(1)] });
      for (const record of others) expect(await other.lease.reclaim(record)).toBe(0);
      expect(await other.claimed(1)).toEqual([]);
      expect(await reclaim(other)).toBe(1);
      expect(await one.lease.renew(renewal(3))).toMatchObject({ isNew: true });
    });

    it('are all released when their process ends its lease, without counting as interruptions', async () => {
      const database = await openDatabase();
      const [one, other] = [await database.connect(), await database.connect()];
      await one.lease.renew(renewal(1));
      for (const id of ['a', 'b']) await one.add(id, id, 1);
      await one.lease.end();
      expect(await other.claimed(1, 10)).toHaveLength(2);
      expect(await other.counts()).toMatchObject([{ interruptions: 0 }, { interruptions: 0 }]);
    });

    it('whose answer was lost are released, but not those in use or made later', async () => {
      const { add, inbox, outbox, claim, claimed } = await connect();
      for (const id of ['a', 'b', 'c']) await add(id, id);
      await outbox.add(newJob('reply', 'a'), 1);
      const [lost, used, newer] = [await claim(1), await claim(2), await claim(4)];
      await inbox.releaseUnused([2], 3);
      expect(await claimed(5, 10)).toEqual(['a']);
      expect(await inbox.complete(lost)).toBe('lost');
      expect(await inbox.complete(used)).toBe('idle');
      expect(await inbox.complete(newer)).toBe('idle');
      // Each queue has its own claims.
      expect((await outbox.claim(6, 10)).jobs).toEqual([]);
    });
  });

  describe(`leases on tasks in ${name}`, () => {
    it('belong to one process, and to another once the clock was set back behind their time', async () => {
      const { sql } = await connect();
      const store = createSqlHandoffStore(sql, false);
      const take = (owner: string) => store.lease('poll', owner, 60_000);
      expect([await take('one'), await take('other'), await take('one')]).toEqual([true, false, true]);
      await sql.write(`UPDATE ${sql.table('task_lease')} SET expires_at = expires_at + ${AN_HOUR}`);
      expect([await take('other'), await take('one')]).toEqual([true, false]);
    });
  });

  describe(`retention in ${name}`, () => {
    it('removes old data of finished jobs, and none of waiting or dead jobs', async () => {
      const process = await connect({ keepContent: true });
      const { add, inbox, claim, sql, rows } = process;
      // Jobs due in the same millisecond are claimed in the order of their conversations.
      for (const id of ['1 done', '2 dead', '3 waiting']) await add(id, id, null, ['ada']);
      await inbox.complete(await claim(1));
      await inbox.fail(await claim(2), DEAD);
      await process.retainFor(1, async () => {
        await eventually(async () => expect(await rows('seen_key')).toBe(2));
        expect(await rows('job')).toBe(2);
      });
      expect(await Promise.all(['1 done', '2 dead', '3 waiting'].map((key) => inbox.has(key)))).toEqual([
        false,
        true,
        true,
      ]);

      // A user is recorded once an hour, so it must be kept an hour longer than the jobs.
      expect(await rows('user_conversation')).toBe(3);
      await sql.write(`UPDATE ${sql.table('user_conversation')} SET seen_at = seen_at - ${AN_HOUR}`);
      await process.retainFor(1, () =>
        eventually(async () => expect(await rows('user_conversation')).toBe(2)),
      );
    });

    it('removes many rows in small batches, and keeps young keys', async () => {
      const process = await connect();
      const { add, inbox, sql, rows } = process;
      await Promise.all(Array.from({ length: 2_500 }, (_, nth) => add(`${nth}`, `c-${nth}`)));
      for (let claim = 1; ; claim += 1) {
        const { jobs } = await inbox.claim(claim, 500);
        if (jobs.length === 0) break;
        await Promise.all(jobs.map((job) => inbox.complete(job)));
      }
      await sql.write(`UPDATE ${sql.table('seen_key')} SET seen_at = seen_at - ${2 * AN_HOUR}`);
      await add('young', 'young');
      await process.retainFor(AN_HOUR, () => eventually(async () => expect(await rows('seen_key')).toBe(1)));
      expect(await inbox.has('young')).toBe(true);
    });

    it('removes heads of idle conversations, and no heads with jobs', async () => {
      const process = await connect();
      const { add, inbox, claim, claimed, sql } = process;
      await add('done', 'idle');
      await inbox.complete(await claim(1));
      await add('waiting', 'busy');
      await sql.write(`UPDATE ${sql.table('head')} SET due_at = due_at - ${AN_HOUR}`);
      await process.retainFor(AN_HOUR, () =>
        eventually(async () => expect(await process.rows('head')).toBe(1)),
      );
      await add('again', 'idle');
      expect((await claimed(2, 10)).toSorted()).toEqual(['again', 'waiting']);
    });
  });

  describe(`forgetting a user in ${name}`, () => {
    it('runs in steps, calls the other stores first, and affects no other user', async () => {
      const { add, sql, admin, forgetHooks, rows } = await connect();
      const steps: number[] = [];
      sql.onForget(async (conversations) => void steps.push(conversations.length));
      await Promise.all(
        Array.from({ length: 250 }, (_, nth) => add(`${nth}`, `hers-${nth}`, null, ['ada', 'anonymous-1'])),
      );
      await add('his', 'his', null, ['bob']);
      expect(forgetHooks).toHaveLength(1);
      expect(await admin.forget('anonymous-1')).toBe(250);
      expect(steps).toEqual([100, 100, 50]);
      expect(await admin.list('inbox')).toMatchObject([{ conversationId: 'his' }]);
      expect([await rows('seen_key'), await rows('head'), await rows('user_conversation')]).toEqual([
        1, 1, 1,
      ]);
    });

    it('loses no event that is added at the same time: it is removed as well, or can be claimed', async () => {
      const database = await openDatabase();
      const [one, other] = [await database.connect(), await database.connect()];
      for (let round = 0; round < 60; round += 1) {
        // A conversation that was idle for a while has no head that forgetting could lock.
        await one.add(`first ${round}`, 'c', null, ['ada']);
        await one.inbox.complete(await one.claim(2 * round));
        await one.sql.write(`DELETE FROM ${one.sql.table('head')}`);
        const [, { id }] = await Promise.all([
          one.admin.forget('ada'),
          other.add(`second ${round}`, 'c', null, ['ada']),
        ]);
        const [status] = await one.inbox.statusOf([id]);
        if (status?.state !== 'gone') {
          const job = await one.claim(2 * round + 1);
          expect(job.id).toBe(id);
          await one.inbox.complete(job);
        }
        await one.admin.forget('ada');
        expect(await one.rows('job')).toBe(0);
      }
    });
  });
}

const newJob = (key: string, conversationId: string, userIds: readonly string[] = []): NewJob => ({
  key,
  conversation: conversationKey(conversationId),
  type: 'handoff.message',
  content: JSON.stringify({ key }),
  userIds,
});

/** A job that was claimed as it was added, in the worker's form. */
const jobOf = async (queue: Queue, conversation: string, claim: number, id: string): Promise<ClaimedJob> => {
  expect(await queue.statusOf([id])).toEqual([{ state: 'waiting' }]);
  return {
    id,
    conversation,
    type: 'handoff.message',
    content: '{}',
    attempt: 1,
    failures: 0,
    crashes: 0,
    interrupted: false,
    createdAt: 1,
    claim,
  };
};

/** One process on the database, with shorthands for tests. */
function createProcess({ sql, queue, lease, forgetHooks }: StorageEngine) {
  const inbox = queue('inbox');
  const outbox = queue('outbox');
  const admin = createQueueAdmin(sql, forgetHooks);
  const claimed = async (claim: number, limit = 1): Promise<string[]> => {
    const { jobs } = await inbox.claim(claim, limit);
    return jobs
      .toSorted((one, other) => Number(one.id) - Number(other.id))
      .map(({ content }) => (JSON.parse(content) as { key: string }).key);
  };
  return {
    sql,
    inbox,
    outbox,
    lease,
    admin,
    forgetHooks,
    claimed,
    add: (key: string, conversationId: string, claim: number | null = null, userIds?: readonly string[]) =>
      inbox.add(newJob(key, conversationId, userIds), claim),
    /** Claims one job, which must exist. */
    claim: async (claim: number): Promise<ClaimedJob> => {
      const [job] = (await inbox.claim(claim, 1)).jobs;
      if (!job) throw new Error('there is no job to claim');
      return job;
    },
    stats: () => admin.depth('inbox'),
    /** Attempts, interruptions and errors of all jobs, the oldest first. */
    counts: () => sql.read(`SELECT attempts, interruptions, error FROM ${sql.table('job')} ORDER BY seq`),
    rows: async (table: string): Promise<number> => {
      const [row] = await sql.read(`SELECT count(*) AS count FROM ${sql.table(table)}`);
      return Number(row?.count);
    },
    /** Runs retention for as long as a check takes. */
    retainFor: async (rememberMs: number, check: () => Promise<unknown>): Promise<void> => {
      const stop = startRetention({
        database: sql,
        handoffs: createSqlHandoffStore(sql, false),
        rememberMs,
        onError: (error) => {
          throw error;
        },
      });
      await check();
      stop();
    },
  };
}
