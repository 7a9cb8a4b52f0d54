import { describe, expect, it, onTestFinished } from 'vitest';
import { conversationKey } from '../../../src/delivery/storage/encoding.js';
import { createWorker } from '../../../src/delivery/worker.js';
import { eventually } from '../contract/stage.js';
import type { QueueDatabase } from './contract.js';

/** Many jobs at once. */
export function describeBursts(name: string, createDatabase: () => Promise<QueueDatabase>): void {
  describe(`a burst of jobs in ${name}`, () => {
    it('claims no more jobs than it has slots for, and releases none', async () => {
      const database = await createDatabase();
      const engine = database.connect({ leaseMs: 600_000, keepContent: false });
      onTestFinished(async () => {
        await worker.stop(1_000);
        await engine.close();
        await database.remove();
      });
      await engine.open();
      await engine.lease.renew({ renewals: 1, leaseMs: 600_000, identity: 'here' });
      const queue = engine.queue('inbox');
      const concurrency = 16;
      const ran: string[] = [];
      let claim = 0;
      let claimedByAdd = 0;
      let released = 0;
      let most = 0;
      let running = 0;
      const worker = createWorker({
        queue: {
          ...queue,
          async add(...args) {
            const result = await queue.add(...args);
            if (result.isClaimed) claimedByAdd += 1;
            return result;
          },
          async release(jobs, how) {
            released += jobs.length;
            return queue.release(jobs, how);
          },
        },
        concurrency,
        pollMs: 1_000,
        async run({ id }) {
          running += 1;
          most = Math.max(most, running);
          await new Promise((resolve) => setTimeout(resolve, 5));
          running -= 1;
          ran.push(id);
          return { state: 'done' };
        },
        isClaimValid: () => true,
        nextClaim: () => (claim += 1),
        onError: (error) => {
          throw error;
        },
      });
      const added = await Promise.all(
        Array.from({ length: 300 }, (_, n) =>
          worker.add({
            key: `key ${n}`,
            conversation: conversationKey(`c ${n}`, null),
            type: 'message',
            content: '{}',
          }),
        ),
      );
      await eventually(() => expect(ran).toHaveLength(300));
      expect(new Set(ran)).toEqual(new Set(added.map(({ id }) => id)));
      expect({ claimedByAdd, released }).toEqual({ claimedByAdd: concurrency, released: 0 });
      expect(most).toBe(concurrency);
    });
  });
}
