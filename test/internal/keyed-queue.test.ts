import { describe, expect, it } from 'vitest';
import { createKeyedQueue } from '../../src/internal/index.js';

/** More than the chains that lanes are spread over, so that some share one. */
const KEYS = Array.from({ length: 3_000 }, (_, index) => `conversation ${index}`);

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('lanes', () => {
  it('keep the order of each of very many keys, also where tasks fail', async () => {
    const lanes = createKeyedQueue();
    const seen = new Map<string, number[]>(KEYS.map((key) => [key, []]));
    const runs = [0, 1, 2].flatMap((turn) =>
      KEYS.map((key) =>
        lanes.run(key, async () => {
          if (turn === 0) await tick();
          seen.get(key)?.push(turn);
          if (turn === 1) throw new Error('a task that fails');
        }),
      ),
    );
    expect(lanes.pending).toBe(KEYS.length * 3);
    const ends = await Promise.allSettled(runs);
    await lanes.idle();
    expect(lanes.pending).toBe(0);
    expect(ends.filter(({ status }) => status === 'rejected')).toHaveLength(KEYS.length);
    for (const turns of seen.values()) expect(turns).toEqual([0, 1, 2]);
  });

  it('run tasks of different keys side by side, and begin anew once a key had nothing to do', async () => {
    const lanes = createKeyedQueue();
    let open = (): void => {};
    const held = lanes.run('held', () => new Promise<void>((resolve) => (open = resolve)));
    const order: string[] = [];
    const waiting = lanes.run('held', async () => void order.push('second of held'));
    for (const key of KEYS) await lanes.run(key, async () => void order.push(key));
    expect(order).toEqual(KEYS);
    open();
    await Promise.all([held, waiting]);
    expect(order.at(-1)).toBe('second of held');
    await lanes.run('held', async () => void order.push('third of held'));
    expect(order.at(-1)).toBe('third of held');
  });
});
