import { inTurn } from './rounds.js';
import { settled } from './verify.js';

/** A warm-up ends after this long even if it did not get through its requests. */
const WARM_UP_SECONDS = 10;

/**
 * One measured round of one contender.
 *
 * @typedef {object} Sample
 * @property {number} answers
 * @property {number} rate answers a second
 * @property {number} p99 milliseconds
 * @property {number} cpu microseconds of the server's processor time a request
 * @property {number} busy share of a processor that the generator took
 */

/**
 * Lets the generator load one server for a while. Fails unless every answer was 200 and every request reached
 * the handler, and was logged where logging is on: work that was skipped is not speed.
 *
 * @param {import('./contenders/index.js').Contender} contender
 * @param {import('./child.js').Child} server
 * @param {import('./child.js').Child} generator
 * @param {{ seconds: number, leadInSeconds?: number, connections: number }} pace
 * @returns {Promise<Sample>}
 */
export async function measure({ id, recipe, variant }, server, generator, pace) {
  await server.ask('reset');
  /** @type {import('./load.js').RoundResult} */
  const { rate, p99, answers, busy } = await generator
    .ask({ ...pace, port: server.port, recipe })
    .catch((error) => {
      throw new Error(`${id}: ${error.message}`);
    });
  const { handled, cpu, logLines } = await settled(server, {
    handled: answers,
    logLines: variant?.log ? answers : 0,
  });
  if (handled !== answers) {
    throw new Error(`${id}: ${answers} requests were answered 200, but ${handled} reached the handler`);
  }
  if (variant?.log && logLines < answers) {
    throw new Error(`${id}: ${answers} requests were answered, but only ${logLines} lines were logged`);
  }
  return { answers, rate, p99, cpu: cpu / answers, busy };
}

/**
 * Counted in requests and not in seconds: a slow server needs as many as a fast one until its code is compiled.
 *
 * @param {Entry} entry
 * @param {import('./child.js').Child} generator
 * @param {import('./options.js').Options} options
 */
export async function warmUp({ contender, server }, generator, { connections, warmUpRequests }) {
  let answers = 0;
  for (let second = 0; second < WARM_UP_SECONDS && answers < warmUpRequests; second += 1) {
    answers += (await measure(contender, server, generator, { connections, seconds: 1 })).answers;
  }
}

/**
 * A contender that runs.
 *
 * @typedef {{ contender: import('./contenders/index.js').Contender, server: import('./child.js').Child }} Entry
 *
 * @typedef {import('./rounds.js').Round<Sample>} Round
 */

/**
 * Measures a few contenders in turn.
 *
 * @param {readonly Entry[]} entries
 * @param {import('./child.js').Child} generator
 * @param {import('./options.js').Options} options
 * @param {(text: string) => void} progress
 * @returns {Promise<Round[]>}
 */
export function measureInTurn(entries, generator, options, progress) {
  const { rounds, connections, seconds, leadInSeconds } = options;
  return inTurn(
    entries,
    rounds,
    ({ contender }) => contender.id,
    // Between its rounds a server waits, and its code and data leave the processor's caches: hence the lead-in.
    ({ contender, server }) => measure(contender, server, generator, { connections, seconds, leadInSeconds }),
    progress,
  );
}
