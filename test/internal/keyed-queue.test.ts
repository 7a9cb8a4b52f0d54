import { describe, expect, it } from 'vitest';
import { createKeyedQueue } from '../../src/internal/index.js';

/** Many keys at once. */
const KEYS = Array.from({ length: 3_000 }, (_, index) => `conversation ${index}`);

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a keyed queue', () => {
  it('keeps the order of each of very many keys, even if tasks fail', async () => {
    const queue = createKeyedQueue();
    const seen = new Map<string, number[]>(KEYS.map((key) => [key, []]));
    const runs = [0, 1, 2].flatMap((turn) =>
      KEYS.map((key) =>
        queue.run(key, async () => {
          if (turn === 0) await tick();
          seen.get(key)?.push(turn);
          if (turn === 1) throw new Error('a task that fails');
        }),
      ),
    );
    expect(queue.pending).toBe(KEYS.length * 3);
    const ends = await Promise.allSettled(runs);
    await queue.idle();
    expect(queue.pending).toBe(0);
    expect(ends.filter(({ status }) => status === 'rejected')).toHaveLength(KEYS.length);
    for (const turns of seen.values()) expect(turns).toEqual([0, 1, 2]);
  });

  it('runs tasks of different keys side by side, and starts again after a key was idle', async () => {
    const queue = createKeyedQueue();
    let open = (): void => {};
    const held = queue.run('held', () => new Promise<void>((resolve) => (open = resolve)));
    const order: string[] = [];
    const waiting = queue.run('held', async () => void order.push('second of held'));
    for (const key of KEYS) await queue.run(key, async () => void order.push(key));
    expect(order).toEqual(KEYS);
    open();
    await Promise.all([held, waiting]);
    expect(order.at(-1)).toBe('second of held');
    await queue.run('held', async () => void order.push('third of held'));
    expect(order.at(-1)).toBe('third of held');
  });
});
