import { describe, expect, it, onTestFinished } from 'vitest';
import type { AddResult, ClaimResult, Queue, SettleResult } from '../../../src/delivery/queue.js';
import { conversationKey } from '../../../src/delivery/storage/encoding.js';
import type { StorageEngine } from '../../../src/delivery/storage/storage-engine.js';
import { createStoredDelivery } from '../../../src/delivery/stored-delivery.js';
import { createWorker } from '../../../src/delivery/worker.js';
import { deferred } from '../../helpers/deferred.js';
import { chatEvent } from '../../helpers/events.js';
import { logLines } from '../../helpers/log-lines.js';
import { eventually, notes } from '../contract/stage.js';
import { checkLostAnswer, LOST_CALLS } from '../lost-answer.js';
import type { QueueDatabase } from './contract.js';

type LostCall = (typeof LOST_CALLS)[number];

/** Whether a call changed a claim: a call that claimed nothing can lose nothing. */
function hasEffect(call: LostCall, result: unknown): boolean {
  if (call === 'add') return (result as AddResult).isClaimed;
  return call !== 'claim' || (result as ClaimResult).jobs.length > 0;
}

/** Forwards every call, then decides whether its answer is lost. */
function losing(queue: Queue, isLost: (call: LostCall, result: unknown) => boolean): Queue {
  const answer = <Result>(call: LostCall, result: Result): Result => {
    if (isLost(call, result)) throw new Error('the answer was lost');
    return result;
  };
  return {
    ...queue,
    add: async (...args) => answer('add', await queue.add(...args)),
    claim: async (...args) => answer('claim', await queue.claim(...args)),
    complete: async (...args) => answer('complete', await queue.complete(...args)),
    fail: async (...args) => answer('fail', await queue.fail(...args)),
    release: async (...args) => answer('release', await queue.release(...args)),
  };
}

/** Calls that the database executed, but whose answer did not arrive. */
export function describeLostAnswers(name: string, createDatabase: () => Promise<QueueDatabase>): void {
  /** Longer than any test: a claim is released when the worker next looks, not only with the next renewal. */
  const LEASE_MS = 600_000;

  const openWith = async (wrap: (engine: StorageEngine) => StorageEngine) => {
    const database = await createDatabase();
    onTestFinished(() => database.remove());
    return createStoredDelivery(
      { backoff: { minDelayMs: 1, maxDelayMs: 1 } },
      { concurrency: 1, leaseMs: LEASE_MS, pollMs: 20 },
      () => wrap(database.connect({ leaseMs: LEASE_MS, keepContent: false })),
    );
  };

  describe(`an answer of ${name} that is lost after the commit`, () => {
    it.each(LOST_CALLS)('leaves no conversation claimed, and no event unhandled: %s', async (lost) => {
      let state: 'idle' | 'armed' | 'lost' = 'idle';
      const delivery = await openWith((engine) => ({
        ...engine,
        queue: (queueName) =>
          losing(engine.queue(queueName), (call, result) => {
            if (state !== 'armed' || call !== lost || !hasEffect(call, result)) return false;
            state = 'lost';
            return true;
          }),
      }));
      await checkLostAnswer(delivery, {
        arm: () => {
          state = 'armed';
        },
        isLost: () => state === 'lost',
      });
    });

    it('does not hide that a job was interrupted', async () => {
      const database = await createDatabase();
      onTestFinished(() => database.remove());
      const engine = database.connect({ leaseMs: LEASE_MS, keepContent: false });
      onTestFinished(() => engine.close());
      await engine.open();
      const outbox = engine.queue('outbox');
      let isAway = true;
      const release: Queue['release'] = async (...args) => {
        if (!isAway) return outbox.release(...args);
        isAway = false;
        throw new Error('the database is away');
      };
      const runs = notes<boolean>();
      let claim = 0;
      const worker = createWorker({
        queue: { ...outbox, release },
        concurrency: 1,
        pollMs: 20,
        nextClaim: () => ++claim,
        isClaimValid: () => true,
        onError: () => {},
        async run({ interrupted }) {
          runs.add(interrupted);
          return runs.all.length === 1 ? { state: 'released', interrupted: true } : { state: 'done' };
        },
      });
      await worker.add({ key: '1', conversation: conversationKey('c'), type: 'reply', content: '{}' });
      // A second run that does not know of the first could send a reply twice.
      expect(await runs.until(2)).toEqual([false, true]);
      await worker.stop(1_000);
    });

    it('does not affect the job that runs when the call is repeated', async () => {
      const completions = notes<SettleResult>();
      const isRepeated = deferred();
      const delivery = await openWith((engine) => ({
        ...engine,
        queue: (queueName) =>
          losing(engine.queue(queueName), (call, result) => {
            if (call !== 'complete') return false;
            completions.add(result as SettleResult);
            if (completions.all.length === 2) isRepeated.resolve();
            return completions.all.length === 1;
          }),
      }));
      const handled = notes<string>();
      delivery.connect({
        name: 'default',
        hasBot: () => true,
        handles: () => true,
        async handle({ key }) {
          handled.add(`${key} begins`);
          if (key === '2') await isRepeated.promise;
          handled.add(`${key} ends`);
        },
        greet: async () => {},
        report: () => {},
        log: logLines().log,
      });
      for (const key of ['1', '2', '3']) await delivery.accept(chatEvent('c', { key }));
      await delivery.start?.();
      expect(await handled.until(6)).toEqual([
        '1 begins',
        '1 ends',
        '2 begins',
        '2 ends',
        '3 begins',
        '3 ends',
      ]);
      await eventually(() => expect(completions.all).toEqual(['more', 'lost', 'more', 'idle']));
      await delivery.stop({ timeoutMs: 1_000 });
    });
  });
}
