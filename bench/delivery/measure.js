import { setTimeout as sleep } from 'node:timers/promises';
import { inTurn } from '../rounds.js';

/**
 * A running server.
 *
 * @typedef {object} Entry
 * @property {string} id
 * @property {import('../child.js').Child} server
 * @property {(() => number) | null} databaseCpu CPU time of its database so far in microseconds
 *
 * The result of one round of one contender.
 *
 * @typedef {object} Sample
 * @property {number} accepted events per second answered 200
 * @property {number} handled events per second, until the last one was handled
 * @property {number} answerP99 milliseconds
 * @property {number} cpu CPU microseconds of the server per event
 * @property {number} databaseCpu CPU microseconds of the database per event; NaN without one
 *
 * @typedef {object} Pace
 * @property {number} rounds
 * @property {number} seconds
 * @property {number} leadInSeconds
 * @property {number} connections
 * @property {number} latencySeconds
 *
 * The results of contenders that took turns.
 *
 * @typedef {object} Measured
 * @property {import('../rounds.js').Round<Sample>[]} rounds
 * @property {import('../rounds.js').Round<Latency>[]} latencies of one request at a time
 * @property {Map<string, { before: Memory, after: Memory }>} memory before and after the rounds, by contender
 *
 * @typedef {{ p50: number, p99: number }} Latency milliseconds from a request to the start of its handler
 * @typedef {{ rss: number, heap: number }} Memory megabytes; the heap after a garbage collection
 */

/** A round fails when accepted events are not handled within this time. */
const HANDLED_WITHIN_MS = 60_000;
const POLL_MS = 20;
/** Latencies differ little from round to round. */
const LATENCY_ROUNDS = 5;

/**
 * Loads one server for a while, then waits until every accepted event was handled. Throws if one was lost or handled
 * twice.
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
    /** @type {import('./server-stats.js').Report} */
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
    await sleep(POLL_MS);
  }
}

/**
 * Measures contenders in turn. Garbage is collected before and after all rounds, not between them: a collection while
 * a server idles drops compiled code.
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
  progress('warm-up after the garbage collection');
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
    /** @type {import('./server-stats.js').Report} */
    const { rss, heap } = await server.ask('memory');
    memory.push([id, { rss, heap }]);
  }
  return memory;
}
