import { median, middle } from './tally.js';

/**
 * @typedef {import('./measure.js').Sample} Sample
 * @typedef {{ title: string, value: number, limit: string, met: boolean }} Verdict
 *
 * @typedef {object} Results
 * @property {Map<string, Sample[]>} throughput by contender
 * @property {Map<string, { handled: number, cpu: number }[]>} backlog by contender
 * @property {Map<string, Map<string, Sample[]>>} growth by contender, then by size
 * @property {Map<string, Sample[]>} slowDisk by contender
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
  const rate = (
    /** @type {Map<string, Sample[]>} */ of,
    /** @type {string} */ id,
    /** @type {'accepted' | 'handled'} */ field,
  ) => middle(of.get(id) ?? [], field);
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
    atLeast(
      'SQLite, accepted, to inline',
      rate(throughput, 'sqlite', 'accepted') / rate(throughput, 'inline', 'accepted'),
      0.9,
    ),
    atLeast(
      'SQLite on a slow disk, accepted, to inline',
      rate(slowDisk, 'sqlite', 'accepted') / rate(slowDisk, 'inline', 'accepted'),
      0.9,
    ),
    atLeast(
      'SQLite, accepted, to bare inserts',
      rate(throughput, 'sqlite', 'accepted') / rate(throughput, 'bare-sqlite', 'accepted'),
      1,
    ),
    atLeast(
      'PostgreSQL, accepted, to pg-boss alone',
      rate(throughput, 'postgres', 'accepted') / rate(throughput, 'bare-boss', 'accepted'),
      0.8,
    ),
    atLeast(
      'PostgreSQL, accepted and handled, to pg-boss alone',
      rate(throughput, 'postgres', 'handled') / rate(throughput, 'bare-boss', 'handled'),
      0.8,
    ),
    atLeast('PostgreSQL, handling alone, to pg-boss alone', drained('postgres') / drained('bare-boss'), 0.8),
    ...[...growth].flatMap(([id, sizes]) => flatness(id, sizes, atLeast)),
    ...['sqlite', 'postgres'].map((id) => memory(id, throughput.get(id) ?? [])),
  ];
  return verdicts.filter(({ value }) => Number.isFinite(value));
}

/**
 * The most that is stored against the least.
 *
 * @param {string} id
 * @param {Map<string, Sample[]>} sizes
 * @param {(title: string, value: number, limit: number) => Verdict} atLeast
 */
function flatness(id, sizes, atLeast) {
  const rounds = [...sizes.values()];
  const ratio = (/** @type {'accepted' | 'handled'} */ field) =>
    middle(rounds.at(-1) ?? [], field) / middle(rounds[0] ?? [], field);
  const most = Number([...sizes.keys()].at(-1)).toLocaleString('en');
  return /** @type {const} */ (['accepted', 'handled']).map((field) =>
    atLeast(`${id}, ${field} with ${most} stored, to the fewest`, ratio(field), FLAT),
  );
}

function memory(/** @type {string} */ id, /** @type {readonly Sample[]} */ rounds) {
  const grown = (rounds.at(-1)?.heap ?? Number.NaN) - (rounds[0]?.heap ?? Number.NaN);
  return {
    title: `${id}, growth of the heap in MB`,
    value: grown,
    limit: `≤ ${HEAP_ROOM}`,
    met: grown <= HEAP_ROOM,
  };
}
