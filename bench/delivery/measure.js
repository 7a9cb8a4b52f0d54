import { setTimeout as sleep } from 'node:timers/promises';

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
 * @property {number} p50 milliseconds from a request to its handler, one request after another
 * @property {number} p99 of the same
 * @property {number} cpu microseconds of the server's processor time for an event
 * @property {number | null} databaseCpu microseconds of the database's processor time for an event
 * @property {number} rss megabytes
 * @property {number} heap megabytes, after a collection
 *
 * @typedef {object} Pace
 * @property {number} seconds
 * @property {number} leadInSeconds
 * @property {number} connections
 * @property {number} latencySeconds 0 to leave it out
 */

/** How long the last of what was accepted may take to be handled. */
const HANDLED_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 20;

/**
 * Loads one server for a while, and waits until all that it accepted was handled. Fails when something was lost.
 *
 * @param {Entry} entry
 * @param {import('../child.js').Child} generator
 * @param {number} seconds
 * @param {number} connections
 */
async function load({ id, server, databaseCpu }, generator, seconds, connections) {
  await server.ask('reset');
  const before = databaseCpu?.() ?? 0;
  /** @type {import('../load.js').RoundResult} */
  const { rate, p99, answers } = await generator.ask({
    port: server.port,
    recipe: 'basic',
    seconds,
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
      const database = databaseCpu ? (databaseCpu() - before) / answers : null;
      return { rate, p99, answers, report, databaseCpu: database };
    }
    if (Date.now() > deadline) {
      throw new Error(`${id}: ${answers} events were accepted, and only ${report.handled} were handled`);
    }
    await sleep(LOOK_EVERY_MS);
  }
}

/**
 * One round of one contender.
 *
 * @param {Entry} entry
 * @param {import('../child.js').Child} generator
 * @param {Pace} pace
 * @returns {Promise<Sample>}
 */
export async function measure(entry, generator, { seconds, leadInSeconds, connections, latencySeconds }) {
  if (leadInSeconds > 0) await load(entry, generator, leadInSeconds, connections);
  const { rate, p99, answers, report, databaseCpu } = await load(entry, generator, seconds, connections);
  const alone = latencySeconds > 0 ? await load(entry, generator, latencySeconds, 1) : null;
  /** @type {import('./tally.js').Report} */
  const memory = await entry.server.ask('memory');
  return {
    accepted: rate,
    handled: (answers / report.handledMs) * 1_000,
    answerP99: p99,
    p50: alone?.report.p50 ?? Number.NaN,
    p99: alone?.report.p99 ?? Number.NaN,
    cpu: report.cpu / answers,
    databaseCpu,
    rss: memory.rss,
    heap: memory.heap,
  };
}

/**
 * Measures all in turn, round after round, each round beginning with another one: what else the machine does then
 * falls on all of them alike.
 *
 * @param {readonly Entry[]} entries
 * @param {import('../child.js').Child} generator
 * @param {Pace & { rounds: number }} pace
 * @param {(text: string) => void} progress
 * @returns {Promise<Map<string, Sample[]>>} the samples by contender
 */
export async function measureAll(entries, generator, pace, progress) {
  /** @type {Map<string, Sample[]>} */
  const samples = new Map(entries.map(({ id }) => [id, []]));
  for (let round = 0; round < pace.rounds; round += 1) {
    for (let index = 0; index < entries.length; index += 1) {
      const entry = entries[(index + round) % entries.length];
      progress(`round ${round + 1}/${pace.rounds}  ${entry.id}`);
      samples.get(entry.id)?.push(await measure(entry, generator, pace));
    }
  }
  return samples;
}
