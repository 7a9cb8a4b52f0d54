/**
 * What a server did since its counters were reset.
 *
 * @typedef {object} Report
 * @property {number} handled events whose handler began
 * @property {number} handledMs from the first request to the last handler
 * @property {number} cpu microseconds of processor time up to now
 * @property {number} p50 milliseconds from a request to its handler
 * @property {number} p99
 * @property {number} rss megabytes
 * @property {number} heap megabytes in use, after a collection where one was asked for
 */

const MEGABYTE = 1024 * 1024;

/** The value below which a share of the values lies. */
export function percentile(/** @type {readonly number[]} */ values, /** @type {number} */ share) {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** The middle of some values. */
export const median = (/** @type {readonly number[]} */ values) => percentile(values, 0.5);

/**
 * The middle of what the rounds gave, for one field.
 *
 * @param {readonly import('./measure.js').Sample[]} samples
 * @param {keyof import('./measure.js').Sample} field
 */
export function middle(samples, field) {
  const values = samples.map((sample) => sample[field]).filter((value) => value !== null);
  return values.length > 0 ? median(values) : Number.NaN;
}

/**
 * Counts what a server does.
 *
 * @param {() => void} collect collects garbage
 */
export function createTally(collect) {
  /** @type {number[]} */
  let waits = [];
  let firstAt = 0;
  let lastAt = 0;
  let cpu = process.cpuUsage();
  return {
    came() {
      if (firstAt === 0) firstAt = performance.now();
    },
    begun(/** @type {number} */ receivedAt) {
      waits.push(Date.now() - receivedAt);
      lastAt = performance.now();
    },
    reset() {
      waits = [];
      firstAt = 0;
      cpu = process.cpuUsage();
    },
    /** @returns {Report} */
    report(/** @type {boolean} */ afterCollection) {
      const { user, system } = process.cpuUsage(cpu);
      if (afterCollection) collect();
      const { rss, heapUsed } = process.memoryUsage();
      return {
        handled: waits.length,
        handledMs: lastAt - firstAt,
        cpu: user + system,
        p50: percentile(waits, 0.5),
        p99: percentile(waits, 0.99),
        rss: rss / MEGABYTE,
        heap: heapUsed / MEGABYTE,
      };
    },
  };
}
