import { inTurn } from './rounds.js';
import { waitForReport } from './verify.js';

/** The longest warm-up, even if it has not sent all its requests. */
const WARM_UP_SECONDS = 10;

/**
 * One measured round of one contender.
 *
 * @typedef {object} Sample
 * @property {number} answers
 * @property {number} rate answers per second
 * @property {number} p99 milliseconds
 * @property {number} cpu CPU time of the server per request, in microseconds
 * @property {number} busy share of a CPU that the generator took
 */

/**
 * Lets the generator load one server. Fails unless every answer was 200, every request reached the handler, every
 * handler that reads text has read some, and every request was logged if logging is on.
 *
 * @param {import('./contenders/index.js').Contender} contender
 * @param {import('./child.js').Child} server
 * @param {import('./child.js').Child} generator
 * @param {{ seconds: number, leadInSeconds?: number, connections: number }} load
 * @returns {Promise<Sample>}
 */
export async function measure({ id, recipe, readsText, variant }, server, generator, load) {
  await server.ask('reset');
  /** @type {import('./load.js').RoundResult} */
  const { rate, p99, answers, busy } = await generator
    .ask({ ...load, port: server.port, recipe })
    .catch((error) => {
      throw new Error(`${id}: ${error.message}`);
    });
  const { handled, textsRead, cpu, logLines } = await waitForReport(server, {
    handled: answers,
    logLines: variant?.log ? answers : 0,
  });
  if (handled !== answers) {
    throw new Error(`${id}: ${answers} requests were answered 200, but ${handled} reached the handler`);
  }
  if (readsText && textsRead !== handled) {
    throw new Error(`${id}: ${handled} requests reached the handler, but it read only ${textsRead} texts`);
  }
  if (variant?.log && logLines < answers) {
    throw new Error(`${id}: ${answers} requests were answered, but only ${logLines} lines were logged`);
  }
  return { answers, rate, p99, cpu: cpu / answers, busy };
}

/**
 * Counted in requests and not in seconds: V8 compiles after a number of calls, however fast the server is.
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
 * A running contender.
 *
 * @typedef {{ contender: import('./contenders/index.js').Contender, server: import('./child.js').Child }} Entry
 *
 * @typedef {import('./rounds.js').Round<Sample>} Round
 */

/**
 * Measures some contenders in alternating rounds.
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
    // The lead-in refills the CPU caches, which lose a server's code and data between its rounds.
    ({ contender, server }) => measure(contender, server, generator, { connections, seconds, leadInSeconds }),
    progress,
  );
}
