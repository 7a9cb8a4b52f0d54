import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { chatEvent } from '../helpers/events.js';
import { engineOn, postgresStore } from '../helpers/postgres.js';
import { AN_HOUR, eventually, notes, stage } from './contract/stage.js';

/** No poll within the test: a lost wake-up leaves its event waiting. */
const NO_POLLING = { pollMs: AN_HOUR, leaseMs: AN_HOUR, pool: { max: 4 } };

describe('several processes on one database', () => {
  it('lose no wake-up: 2,000 events of 50 conversations are handled once and in order', async () => {
    const PROCESSES = 4;
    const CONVERSATIONS = 50;
    const EACH = 40;
    const set = await stage(engineOn(await postgresStore(), NO_POLLING));
    const running = new Set<string>();
    const overlaps: string[] = [];
    const handled = notes<string>();
    const processes = await Promise.all(
      Array.from({ length: PROCESSES }, () =>
        set.open(
          async ({ key, conversationId }) => {
            if (running.has(conversationId)) overlaps.push(key);
            running.add(conversationId);
            await turn();
            running.delete(conversationId);
            handled.add(key);
          },
          { concurrency: 8 },
        ),
      ),
    );
    // Each conversation's events are sent one after another, each to another process.
    const ids = Array.from({ length: CONVERSATIONS }, (_, nth) => `c-${nth}`);
    await Promise.all(
      ids.map(async (id, first) => {
        for (let nth = 0; nth < EACH; nth += 1) {
          const to = processes[(first + nth) % PROCESSES];
          expect(await to?.accept(chatEvent(id, { key: `${id}:${nth}` }))).toBe('stored');
        }
      }),
    );
    await handled.until(CONVERSATIONS * EACH);
    await eventually(async () =>
      expect(await processes[0]?.queues.depth('inbox')).toMatchObject({ waiting: 0, dead: 0 }),
    );
    expect(overlaps).toEqual([]);
    expect(handled.all).toHaveLength(CONVERSATIONS * EACH);
    for (const id of ids) {
      const keys = handled.all.filter((key) => key.startsWith(`${id}:`));
      expect(keys).toEqual(Array.from({ length: EACH }, (_, nth) => `${id}:${nth}`));
    }
  });

  it('store the same events in opposite order at the same time, without a deadlock', async () => {
    const set = await stage(engineOn(await postgresStore(), NO_POLLING));
    const handled = notes<string>();
    const [one, other] = await Promise.all([
      set.open(({ key }) => handled.add(key)),
      set.open(({ key }) => handled.add(key)),
    ]);
    for (let round = 0; round < 10; round += 1) {
      const events = Array.from({ length: 200 }, (_, nth) =>
        chatEvent(`c-${nth}`, { key: `${round}:${nth}` }),
      );
      const accepted = await Promise.all([
        ...events.map((event) => one.accept(event)),
        ...events.toReversed().map((event) => other.accept(event)),
      ]);
      expect(accepted.toSorted()).toEqual([
        ...Array.from({ length: 200 }, () => 'duplicate'),
        ...Array.from({ length: 200 }, () => 'stored'),
      ]);
    }
    await eventually(async () =>
      expect(await one.queues.depth('inbox')).toMatchObject({ waiting: 0, dead: 0 }),
    );
    expect(handled.all).toHaveLength(2_000);
    expect(new Set(handled.all).size).toBe(2_000);
    expect([...one.logged.about('database'), ...other.logged.about('database')]).toEqual([]);
  });

  it('may stop and release many conversations while others add to them, without a deadlock', async () => {
    const set = await stage(engineOn(await postgresStore(), { ...NO_POLLING, pollMs: 200 }));
    const ids = Array.from({ length: 30 }, (_, nth) => `c-${nth}`);
    const handled = notes<string>();
    const steady = await set.open(({ key }) => handled.add(key), { concurrency: 64 });
    const sent: string[] = [];
    for (let round = 0; round < 5; round += 1) {
      const stuck = await set.open(() => new Promise(() => undefined), { concurrency: 64 });
      const send = (to: typeof stuck, part: string, order: readonly string[]) =>
        Promise.all(
          order.map((id) => {
            sent.push(`${id} ${round} ${part}`);
            return to.accept(chatEvent(id, { key: `${id} ${round} ${part}` }));
          }),
        );
      expect(new Set(await send(stuck, 'first', ids))).toEqual(new Set(['stored']));
      const [, accepted] = await Promise.all([stuck.stop(1), send(steady, 'second', ids.toReversed())]);
      expect(new Set(accepted)).toEqual(new Set(['stored']));
      expect(stuck.logged.about('database')).toEqual([]);
    }
    await eventually(async () =>
      expect(await steady.queues.depth('inbox')).toMatchObject({ waiting: 0, dead: 0 }),
    );
    expect(handled.all.toSorted()).toEqual(sent.toSorted());
    expect(steady.logged.about('database')).toEqual([]);
  });
});
