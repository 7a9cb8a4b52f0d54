import { percentile } from '../rounds.js';

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
