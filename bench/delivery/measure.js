import { setTimeout as sleep } from 'node:timers/promises';
import { inTurn } from '../rounds.js';

/**
 * A contender that runs.
 *
 * @typedef {object} Entry
 * @property {string} id
 * @property {import('../child.js').Child} server
 * @property {(() => number) | null} databaseCpu microseconds of processor time that its database has taken so far
 *
 * What one round of one contender gave.
 *
 * @typedef {object} Sample
 * @property {number} accepted events a second answered 200
 * @property {number} handled events a second, until the last was handled
 * @property {number} answerP99 milliseconds
 * @property {number} cpu microseconds of the server's processor time for an event
 * @property {number} databaseCpu microseconds of the database's processor time for an event; NaN without one
 *
 * @typedef {object} Pace
 * @property {number} rounds
 * @property {number} seconds
 * @property {number} leadInSeconds
 * @property {number} connections
 * @property {number} latencySeconds
 *
 * What was measured of some contenders.
 *
 * @typedef {object} Measured
 * @property {import('../rounds.js').Round<Sample>[]} rounds
 * @property {import('../rounds.js').Round<Latency>[]} latencies one request after another
 * @property {Map<string, { before: Memory, after: Memory }>} memory over the rounds, by contender
 *
 * @typedef {{ p50: number, p99: number }} Latency milliseconds from a request to its handler
 * @typedef {{ rss: number, heap: number }} Memory megabytes; the heap after a collection
 */

/** How long the last of what was accepted may take to be handled. */
const HANDLED_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 20;
/** Latencies differ little from round to round. */
const LATENCY_ROUNDS = 5;

/**
 * Loads one server for a while, and waits until all that it accepted was handled. Fails when something was lost.
 *
 * @param {Entry} entry
 * @param {import('../child.js').Child} generator
 * @param {{ seconds: number, leadInSeconds?: number, connections: number }} pace
 */
async function load({ id, server, databaseCpu }, generator, { seconds, leadInSeconds, connections }) {
  await server.ask('reset');
  const before = databaseCpu?.() ?? 0;
  /** @type {import('../load.js').RoundResult} */
  const { rate, p99, answers } = await generator.ask({
    port: server.port,
    recipe: 'basic',
    seconds,
    leadInSeconds,
    connections,
  });
  const deadline = Date.now() + HANDLED_WITHIN_MS;
  for (;;) {
    /** @type {import('./tally.js').Report} */
    const report = await server.ask('report');
    if (report.handled >= answers) {
      if (report.handled > answers) {
        throw new Error(`${id}: ${answers} events were accepted, but handlers ran ${report.handled} times`);
      }
      const database = databaseCpu ? (databaseCpu() - before) / answers : Number.NaN;
      return { rate, p99, answers, report, databaseCpu: database };
    }
    if (Date.now() > deadline) {
      throw new Error(`${id}: ${answers} events were accepted, and only ${report.handled} were handled`);
    }
    await sleep(LOOK_EVERY_MS);
  }
}

/**
 * Measures some contenders in turn. Heaps are collected before and after all rounds and not between them: what a
 * collection finds unused, such as code for requests that are not there just then, would have to be made again.
 *
 * @param {readonly Entry[]} entries
 * @param {import('../child.js').Child} generator
 * @param {Pace} pace
 * @param {(text: string) => void} progress
 * @returns {Promise<Measured>}
 */
export async function measureInTurn(entries, generator, pace, progress) {
  const idOf = (/** @type {Entry} */ { id }) => id;
  for (const entry of entries) {
    progress(`warm-up  ${entry.id}`);
    await load(entry, generator, { seconds: 2, connections: pace.connections });
  }
  const before = await memoryOf(entries);
  progress('warm-up, after the collection');
  for (const entry of entries) await load(entry, generator, { seconds: 2, connections: pace.connections });
  const rounds = await inTurn(
    entries,
    pace.rounds,
    idOf,
    async (entry) => {
      const { rate, p99, answers, report, databaseCpu } = await load(entry, generator, pace);
      return {
        accepted: rate,
        handled: (answers / report.handledMs) * 1_000,
        answerP99: p99,
        cpu: report.cpu / answers,
        databaseCpu,
      };
    },
    progress,
  );
  const latencies = await inTurn(
    entries,
    Math.min(LATENCY_ROUNDS, pace.rounds),
    idOf,
    async (entry) => {
      const { report } = await load(entry, generator, { seconds: pace.latencySeconds, connections: 1 });
      return { p50: report.p50, p99: report.p99 };
    },
    (text) => progress(`latency  ${text}`),
  );
  const after = await memoryOf(entries);
  return {
    rounds,
    latencies,
    memory: new Map(before.map(([id, memory], index) => [id, { before: memory, after: after[index][1] }])),
  };
}

/** @returns {Promise<[string, Memory][]>} */
async function memoryOf(/** @type {readonly Entry[]} */ entries) {
  /** @type {[string, Memory][]} */
  const memory = [];
  for (const { id, server } of entries) {
    /** @type {import('./tally.js').Report} */
    const { rss, heap } = await server.ask('memory');
    memory.push([id, { rss, heap }]);
  }
  return memory;
}
