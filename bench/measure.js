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
 * @param {{ seconds: number, connections: number }} pace
 * @returns {Promise<Sample>}
 */
export async function measure({ id, recipe, variant }, server, generator, { seconds, connections }) {
  await server.ask('reset');
  /** @type {import('./load.js').RoundResult} */
  const { rate, p99, answers, busy } = await generator
    .ask({ port: server.port, recipe, seconds, connections })
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
 * @param {number} requests
 * @param {() => Promise<Sample>} oneSecond
 */
async function warmUp(requests, oneSecond) {
  let answers = 0;
  for (let second = 0; second < WARM_UP_SECONDS && answers < requests; second += 1) {
    answers += (await oneSecond()).answers;
  }
}

/**
 * Measures all contenders in turn, round after round, each round beginning with another one: what else the
 * machine does then falls on all of them alike.
 *
 * @param {{ contender: import('./contenders/index.js').Contender, server: import('./child.js').Child }[]} entries
 * @param {import('./child.js').Child} generator
 * @param {import('./options.js').Options} options
 * @param {(text: string) => void} progress
 * @returns {Promise<Map<string, Sample[]>>} the samples by contender
 */
export async function measureAll(entries, generator, options, progress) {
  const { rounds, connections, seconds, leadInSeconds, warmUpRequests } = options;
  for (const [index, { contender, server }] of entries.entries()) {
    progress(`warm-up ${index + 1}/${entries.length}  ${contender.id}`);
    await warmUp(warmUpRequests, () => measure(contender, server, generator, { connections, seconds: 1 }));
  }
  /** @type {Map<string, Sample[]>} */
  const samples = new Map(entries.map(({ contender }) => [contender.id, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (let index = 0; index < entries.length; index += 1) {
      const { contender, server } = entries[(index + round) % entries.length];
      const left = Math.round(((rounds - round) * entries.length - index) * (seconds + leadInSeconds + 0.5));
      progress(`round ${round + 1}/${rounds}  ${contender.id}  (about ${left} s left)`);
      // Between its rounds a server idles, and its code and data leave the processor's caches.
      await measure(contender, server, generator, { connections, seconds: leadInSeconds });
      const sample = await measure(contender, server, generator, { connections, seconds });
      samples.get(contender.id)?.push(sample);
    }
  }
  return samples;
}
