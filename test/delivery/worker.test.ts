import { describe, expect, it, onTestFinished } from 'vitest';
import { type ClaimedJob, type Queue, SUSPECT_CRASHES } from '../../src/delivery/queue.js';
import { createWorker, type WorkerOptions } from '../../src/delivery/worker.js';
import { deferred } from '../helpers/deferred.js';
import { AN_HOUR, eventually } from './contract/stage.js';

const claimedJob = (claim: number, job: Partial<ClaimedJob> = {}): ClaimedJob => ({
  id: '1',
  conversation: 'c',
  type: 'message',
  content: '{}',
  attempt: 1,
  failures: 0,
  crashes: 0,
  interrupted: false,
  createdAt: 1,
  claim,
  ...job,
});

/** A worker on a queue that has one job, once; and what happens to the job. */
function createOne(job: Partial<ClaimedJob>, queue: Partial<Queue>, options: Partial<WorkerOptions> = {}) {
  const done: string[] = [];
  let claims = 0;
  let isClaimed = false;
  const worker = createWorker({
    queue: {
      async claim(claim) {
        if (isClaimed) return { jobs: [], nextDueInMs: null };
        isClaimed = true;
        return { jobs: [claimedJob(claim, job)], nextDueInMs: null };
      },
      async complete() {
        done.push('complete');
        return 'idle';
      },
      async release(jobs, { interrupted }) {
        if (jobs.length > 0) done.push(interrupted ? 'release as interrupted' : 'release');
      },
      releaseUnused: async () => {},
      ...queue,
    } as Queue,
    concurrency: 1,
    pollMs: AN_HOUR,
    run: async () => {
      done.push('run');
      return { state: 'done' };
    },
    isClaimValid: () => true,
    nextClaim: () => (claims += 1),
    suspectWaitMs: 0,
    onError: () => {},
    ...options,
  });
  onTestFinished(async () => void (await worker.stop(1)));
  worker.wake();
  return { worker, done };
}

describe('a suspect', () => {
  const SUSPECT = { crashes: SUSPECT_CRASHES };

  it('runs once its start is noted', async () => {
    const { done } = createOne(SUSPECT, { beginAlone: async () => true });
    await eventually(() => expect(done).toEqual(['run', 'complete']));
  });

  it('runs alone, whatever slots are free', async () => {
    const [begun, end] = [deferred(), deferred()];
    const { worker } = createOne(
      SUSPECT,
      { beginAlone: async () => true },
      {
        concurrency: 9,
        async run() {
          begun.resolve();
          await end.promise;
          return { state: 'done' };
        },
      },
    );
    await begun.promise;
    expect(worker.isFull()).toBe(true);
    end.resolve();
    await eventually(() => expect(worker.isFull()).toBe(false));
  });

  it('does not run if another process has it', async () => {
    const asked = deferred();
    const { worker, done } = createOne(SUSPECT, {
      async beginAlone() {
        asked.resolve();
        return false;
      },
    });
    await asked.promise;
    expect(await worker.stop(AN_HOUR)).toBe(0);
    expect(done).toEqual([]);
  });

  it('is released as it was if its claim became uncertain before', async () => {
    let checks = 0;
    const { done } = createOne(
      SUSPECT,
      {
        async beginAlone() {
          done.push('begin');
          return true;
        },
      },
      // Only when it was claimed.
      { isClaimValid: (claim) => claim === Number.POSITIVE_INFINITY || ++checks === 1 },
    );
    await eventually(() => expect(done.length).toBeGreaterThan(0));
    expect(done).toEqual(['release']);
  });

  it('does not run if its start could not be noted, and does not count as the cause', async () => {
    let isAway = true;
    const { done } = createOne(SUSPECT, {
      beginAlone: () => Promise.reject(new Error('no database')),
      async release(_jobs, { interrupted }) {
        if (isAway) {
          isAway = false;
          throw new Error('no database');
        }
        if (interrupted) done.push('release as interrupted');
      },
    });
    await eventually(() => expect(done).toEqual(['release as interrupted']));
  });

  it('does not run if its claim became uncertain meanwhile, and does not count as the cause', async () => {
    let isValid = true;
    const { done } = createOne(
      SUSPECT,
      {
        async beginAlone() {
          isValid = false;
          return true;
        },
      },
      { isClaimValid: () => isValid },
    );
    await eventually(() => expect(done).toEqual(['release as interrupted']));
  });
});
