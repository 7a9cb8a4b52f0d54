import { median, ratioOf } from '../rounds.js';

/**
 * @typedef {import('./measure.js').Measured} Measured
 * @typedef {{ title: string, value: number, limit: string, met: boolean }} Verdict
 *
 * @typedef {object} Results
 * @property {Measured[]} throughput of each group of contenders
 * @property {Map<string, { handled: number, cpu: number }[]>} backlog by contender
 * @property {Map<string, Measured>} growth by contender, of sizes
 * @property {Measured[]} slowDisk of each group of contenders
 */

/** Ratios move that much from run to run when nothing has changed. */
const FLAT = 0.8;

/** A heap that grew by so much, in megabytes, is still called flat: tables that fill up to a limit, compiled code. */
const HEAP_ROOM = 16;

/**
 * Holds what was measured against the targets, as far as it was measured.
 *
 * @param {Results} results
 * @returns {Verdict[]}
 */
export function judge({ throughput, backlog, growth, slowDisk }) {
  const rounds = throughput.flatMap((measured) => measured.rounds);
  const slowRounds = slowDisk.flatMap((measured) => measured.rounds);
  const drained = (/** @type {string} */ id) => median((backlog.get(id) ?? []).map(({ handled }) => handled));
  const atLeast = (
    /** @type {string} */ title,
    /** @type {number} */ value,
    /** @type {number} */ limit,
  ) => ({
    title,
    value,
    limit: `≥ ${limit}`,
    met: value >= limit,
  });

  const verdicts = [
    atLeast('SQLite, accepted, to inline', ratioOf(rounds, 'sqlite', 'inline', 'accepted'), 0.9),
    atLeast(
      'SQLite on a slow disk, accepted, to inline',
      ratioOf(slowRounds, 'sqlite', 'inline', 'accepted'),
      0.9,
    ),
    atLeast('SQLite, accepted, to bare inserts', ratioOf(rounds, 'sqlite', 'bare-sqlite', 'accepted'), 1),
    atLeast(
      'PostgreSQL, accepted, to pg-boss alone',
      ratioOf(rounds, 'postgres', 'bare-boss', 'accepted'),
      0.8,
    ),
    atLeast(
      'PostgreSQL, accepted and handled, to pg-boss alone',
      ratioOf(rounds, 'postgres', 'bare-boss', 'handled'),
      0.8,
    ),
    atLeast('PostgreSQL, handling alone, to pg-boss alone', drained('postgres') / drained('bare-boss'), 0.8),
    ...[...growth].flatMap(([id, measured]) => flatness(id, measured, atLeast)),
    ...throughput.flatMap(({ memory }) => [...memory]).flatMap(([id, change]) => flatHeap(id, change)),
  ];
  return verdicts.filter(({ value }) => Number.isFinite(value));
}

/**
 * The most that is stored against the least.
 *
 * @param {string} id
 * @param {Measured} measured
 * @param {(title: string, value: number, limit: number) => Verdict} atLeast
 */
function flatness(id, { rounds, memory }, atLeast) {
  const sizes = [...memory.keys()];
  const fewest = sizes[0];
  const most = sizes.at(-1) ?? fewest;
  const stored = Number(most).toLocaleString('en');
  return /** @type {const} */ (['accepted', 'handled']).map((field) =>
    atLeast(
      `${id}, ${field} with ${stored} stored, to the fewest`,
      ratioOf(rounds, most, fewest, field),
      FLAT,
    ),
  );
}

/** @returns {Verdict[]} */
function flatHeap(
  /** @type {string} */ id,
  /** @type {{ before: import('./measure.js').Memory, after: import('./measure.js').Memory }} */ change,
) {
  if (id !== 'sqlite' && id !== 'postgres') return [];
  const grown = change.after.heap - change.before.heap;
  return [
    {
      title: `${id}, growth of the heap in MB`,
      value: grown,
      limit: `≤ ${HEAP_ROOM}`,
      met: grown <= HEAP_ROOM,
    },
  ];
}
