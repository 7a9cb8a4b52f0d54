import { median, ratioOf } from '../rounds.js';

/**
 * @typedef {import('./measure.js').Measured} Measured
 * @typedef {{ title: string, value: number, limit: string, met: boolean }} Verdict
 * @typedef {import('../rounds.js').Round<{ handled: number, cpu: number }>} DrainRound the drains of one round, by size
 *
 * @typedef {object} Results
 * @property {Measured[]} throughput of each group of contenders
 * @property {Map<string, { handled: number, cpu: number }[]>} draining by contender
 * @property {Map<string, Measured>} remembered by contender, of sizes
 * @property {Map<string, DrainRound[]>} waiting by contender, of sizes
 * @property {Measured[]} slowDisk of each group of contenders
 */

/** A ratio of 0.8 and more counts as flat: runs of the same code differ by up to a fifth on a busy machine. */
const FLAT = 0.8;

/** A heap may grow by this many megabytes: caches that fill up to a limit, compiled code. */
const HEAP_ROOM = 16;

const NAMES = /** @type {Record<string, string>} */ ({ sqlite: 'SQLite', postgres: 'PostgreSQL' });

/** @returns {Verdict} */
const atLeast = (/** @type {string} */ title, /** @type {number} */ value, /** @type {number} */ limit) => ({
  title,
  value,
  limit: `≥ ${limit}`,
  met: value >= limit,
});

/**
 * Compares the results with the targets whose contenders were measured.
 *
 * @param {Results} results
 * @returns {Verdict[]}
 */
export function compareWithTargets({ throughput, draining, remembered, waiting }) {
  const rounds = throughput.flatMap((measured) => measured.rounds);
  const drainRate = (/** @type {string} */ id) =>
    median((draining.get(id) ?? []).map(({ handled }) => handled));
  const verdicts = [
    atLeast('SQLite, accepted, to inline', ratioOf(rounds, 'sqlite', 'inline', 'accepted'), 0.7),
    atLeast('SQLite, accepted, to bare inserts', ratioOf(rounds, 'sqlite', 'bare-sqlite', 'accepted'), 1),
    atLeast('PostgreSQL, accepted, to pg-boss', ratioOf(rounds, 'postgres', 'pg-boss', 'accepted'), 1.5),
    atLeast('PostgreSQL, handled, to pg-boss', ratioOf(rounds, 'postgres', 'pg-boss', 'handled'), 1.5),
    atLeast('PostgreSQL, draining, to pg-boss', drainRate('postgres') / drainRate('pg-boss'), 1.5),
    ...[...remembered].flatMap(([id, measured]) => flatThroughput(id, measured)),
    ...[...waiting].flatMap(([id, samples]) => flatDraining(id, samples)),
    ...throughput.flatMap(({ memory }) => [...memory]).flatMap(([id, change]) => flatHeap(id, change)),
  ];
  return verdicts.filter(({ value }) => Number.isFinite(value));
}

/** The ratio of the largest store to the smallest. @returns {Verdict[]} */
function flatThroughput(/** @type {string} */ id, /** @type {Measured} */ { rounds, memory }) {
  const { smallest, largest } = extremesOf([...memory.keys()]);
  return /** @type {const} */ (['accepted', 'handled']).map((field) =>
    atLeast(
      `${NAMES[id]}, ${field} with ${format(largest)} remembered events, to ${format(smallest)}`,
      ratioOf(rounds, largest, smallest, field),
      FLAT,
    ),
  );
}

/** @returns {Verdict[]} */
function flatDraining(/** @type {string} */ id, /** @type {readonly DrainRound[]} */ rounds) {
  // pg-boss is measured for comparison alone.
  if (!(id in NAMES)) return [];
  const { smallest, largest } = extremesOf(Object.keys(rounds[0] ?? {}));
  const title = `${NAMES[id]}, draining with ${format(largest)} waiting conversations, to ${format(smallest)}`;
  return [atLeast(title, ratioOf(rounds, largest, smallest, 'handled'), FLAT)];
}

function extremesOf(/** @type {readonly string[]} */ sizes) {
  const sorted = sizes.toSorted((a, b) => Number(a) - Number(b));
  return { smallest: sorted[0] ?? '', largest: sorted.at(-1) ?? '' };
}

const format = (/** @type {string} */ size) => Number(size).toLocaleString('en');

/** @returns {Verdict[]} */
function flatHeap(
  /** @type {string} */ id,
  /** @type {{ before: import('./measure.js').Memory, after: import('./measure.js').Memory }} */ change,
) {
  if (!(id in NAMES)) return [];
  const growth = change.after.heap - change.before.heap;
  const title = `${NAMES[id]}, growth of the heap in MB`;
  return [{ title, value: growth, limit: `≤ ${HEAP_ROOM}`, met: growth <= HEAP_ROOM }];
}
