import { percentile } from '../rounds.js';

/**
 * The statistics of a server since they were last reset.
 *
 * @typedef {object} Report
 * @property {number} handled events whose handler has started
 * @property {number} handledMs from the first request to the start of the last handler
 * @property {number} cpu CPU time in microseconds
 * @property {number} p50 milliseconds from a request to the start of its handler
 * @property {number} p99
 * @property {number} rss megabytes
 * @property {number} heap megabytes; after a garbage collection where one was asked for
 */

const MEGABYTE = 1024 * 1024;

/**
 * Counts handlers and measures how long events wait for them.
 *
 * @param {() => void} collectGarbage
 */
export function createServerStats(collectGarbage) {
  /** @type {number[]} */
  let waits = [];
  let firstAt = 0;
  let lastAt = 0;
  let cpu = process.cpuUsage();
  return {
    requestArrived() {
      if (firstAt === 0) firstAt = performance.now();
    },
    handlerStarted(/** @type {number} */ receivedAt) {
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
      if (afterCollection) collectGarbage();
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
