import type { DeliveryStats } from '../delivery.js';
import type { Ending } from '../work.js';
import type { Database } from './database.js';

/** How many events wait and how many are remembered, near enough: asking the database each time would cost. */
export interface Counts {
  now(): DeliveryStats;
  /** An event was stored here. */
  stored(): void;
  /** An attempt ended here. */
  ended(ending: Ending): void;
  stop(): void;
}

const COUNT_WAITING_EVERY_MS = 5_000;

/** There may be millions of them. */
const COUNT_DONE_EVERY_MS = 300_000;

/** A number that is counted now and then, and moved on by what happens meanwhile. */
function createCounter(count: () => Promise<number>) {
  let counted = 0;
  let since = 0;
  let counting = false;
  return {
    value: () => Math.max(0, counted + since),
    move(by: number): void {
      since += by;
    },
    async recount(): Promise<void> {
      if (counting) return;
      counting = true;
      try {
        since = 0;
        counted = await count();
      } finally {
        counting = false;
      }
    },
  };
}

/** Makes {@link Counts} of the inbox. */
export function createCounts(database: Database, onTrouble: (error: unknown) => void): Counts {
  const count = async (states: string): Promise<number> => {
    const sql = `SELECT count(*) AS count FROM ${database.schema}.job WHERE name = 'inbox' AND state IN (${states})`;
    const [row] = await database.run(sql, []);
    return Number(row?.count ?? 0);
  };
  const pending = createCounter(() => count("'created', 'retry', 'active'"));
  const remembered = createCounter(() => count("'completed'"));

  const recount = (counter: typeof pending) => void counter.recount().catch(onTrouble);
  const timers = [
    setInterval(() => recount(pending), COUNT_WAITING_EVERY_MS).unref(),
    setInterval(() => recount(remembered), COUNT_DONE_EVERY_MS).unref(),
  ];
  recount(pending);
  recount(remembered);

  return {
    now: () => ({ pending: pending.value(), remembered: remembered.value() }),
    stored: () => pending.move(1),
    ended({ state }) {
      if (state === 'waiting') return;
      pending.move(-1);
      if (state === 'done') remembered.move(1);
    },
    stop() {
      for (const timer of timers) clearInterval(timer);
    },
  };
}
