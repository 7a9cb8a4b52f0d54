import { describe, expect, it, onTestFinished } from 'vitest';
import type { ClaimedJob, JobOutcome, Queue } from '../../src/delivery/queue.js';
import { AbortableRun } from '../../src/delivery/run-handlers.js';
import { createWorker, type WorkerSlot } from '../../src/delivery/worker.js';
import { ClaimLost } from '../../src/events/index.js';
import { deferred } from '../helpers/deferred.js';
import { AN_HOUR, eventually } from './contract/stage.js';

/** A worker with one slot, whose jobs run as they are added. */
function createSingle(run: (job: ClaimedJob, slot: WorkerSlot) => Promise<JobOutcome>) {
  let claims = 0;
  const queue = {
    add: async () => ({ id: '1', isDuplicate: false, isClaimed: true }),
    claim: async () => ({ jobs: [], nextDueInMs: null }),
    complete: async () => 'idle',
    release: async () => {},
  } as Partial<Queue> as Queue;
  const worker = createWorker({
    queue,
    concurrency: 1,
    pollMs: AN_HOUR,
    run,
    isClaimValid: () => true,
    nextClaim: () => (claims += 1),
    onError: (error) => {
      throw error;
    },
  });
  onTestFinished(async () => void (await worker.stop(1)));
  const add = (conversation: string) =>
    worker.add({ key: conversation, conversation, type: 'message', content: '{}' });
  return { worker, add };
}

const DONE: JobOutcome = { state: 'done' };

describe('a run that waits for another system', () => {
  it('leaves its slot to others meanwhile, and has it again afterwards', async () => {
    const [answer, back, end] = [deferred(), deferred(), deferred()];
    const { worker, add } = createSingle(async (job, slot) => {
      await new AbortableRun(1, { job, slot, isValid: () => true, ensure: async () => {} }).withoutSlot(
        () => answer.promise,
      );
      back.resolve();
      await end.promise;
      return DONE;
    });
    await add('a');
    expect(worker.isFull()).toBe(true);
    await eventually(() => expect(worker.isFull()).toBe(false));
    answer.resolve();
    await back.promise;
    expect(worker.isFull()).toBe(true);
    end.resolve();
    await eventually(() => expect(worker.isFull()).toBe(false));
  });

  it('and is given up meanwhile leaves no slot more than before', async () => {
    const running: string[] = [];
    const end = deferred();
    const { worker, add } = createSingle(async ({ conversation }, slot) => {
      running.push(conversation);
      if (conversation === 'a') slot.leave();
      else await end.promise;
      return DONE;
    });
    await add('a');
    await eventually(() => expect([running, worker.isFull()]).toEqual([['a'], false]));
    await add('b');
    await eventually(() => expect(running).toEqual(['a', 'b']));
    expect(worker.isFull()).toBe(true);
    end.resolve();
  });

  it('and was given up before leaves no slot more than before', async () => {
    const slots: WorkerSlot[] = [];
    const end = deferred();
    const { worker, add } = createSingle(async ({ conversation }, slot) => {
      slots.push(slot);
      if (conversation === 'b') await end.promise;
      return DONE;
    });
    await add('a');
    await eventually(() => expect([slots.length, worker.isFull()]).toEqual([1, false]));
    await add('b');
    await eventually(() => expect(slots).toHaveLength(2));
    slots[0]?.leave();
    expect(worker.isFull()).toBe(true);
    end.resolve();
  });
});

it('a run that is given up while its claim is checked does not go on', async () => {
  const reason = new Error('given up');
  const run: AbortableRun = new AbortableRun(1, {
    job: {} as ClaimedJob,
    isValid: () => true,
    ensure: async () => run.abort(reason),
  });
  await expect(run.ensureClaimed()).rejects.toBe(reason);
});

it.each([
  ['whose claim is lost is given up', new ClaimLost(), true],
  ['whose claim cannot be checked may try again', new Error('no database'), false],
])('a run %s', async (_what, error, isGivenUp) => {
  const run = new AbortableRun(1, {
    job: {} as ClaimedJob,
    isValid: () => false,
    ensure: () => Promise.reject(error),
  });
  await expect(run.ensureClaimed()).rejects.toBe(error);
  expect(run.signal.aborted).toBe(isGivenUp);
});
