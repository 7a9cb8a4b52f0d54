import { openConnection } from './connection.js';
import { requestRing } from './requests.js';
import { percentile } from './rounds.js';

/**
 * The load generator, a process of its own. It takes one round at a time from its parent and says what it saw.
 *
 * @typedef {object} Round
 * @property {number} port
 * @property {import('./requests.js').RecipeName} recipe
 * @property {number} seconds
 * @property {number} [leadInSeconds] of the same load before, which counts for nothing but `answers`
 * @property {number} connections
 *
 * @typedef {object} RoundResult
 * @property {number} rate answers a second
 * @property {number} p99 milliseconds
 * @property {number} answers all answers, also those before and after the time
 * @property {number} busy the share of a processor that the generator itself took
 */

/** Signed slots in a ring. They are signed anew for every round, since Slack's signatures age. */
const RING = 1024;
/** A server that answers nothing for this long has failed. */
const PATIENCE_SECONDS = 10;

/** Every request of one generator has a serial number of its own. */
let serial = 0;

/** @param {Round} round @returns {Promise<RoundResult>} */
async function runRound({ port, recipe, seconds, leadInSeconds = 0, connections }) {
  const nextRequest = requestRing(recipe, RING, () => {
    serial += 1;
    return serial;
  });
  /** @type {number[]} */
  const latencies = [];
  let begin = 0;
  let deadline = 0;
  let uncounted = 0;
  let open = connections;
  // A server under load takes new connections one by one, and for a while has fewer than it should: so each is
  // used once before the load begins.
  let unused = connections;
  let unanswered = connections;
  const introduced = withResolvers();
  const finished = withResolvers();

  const lanes = Array.from({ length: connections }, () =>
    openConnection({
      port,
      next: () => {
        if (unused > 0) {
          unused -= 1;
          return nextRequest();
        }
        if (deadline === 0) return null;
        return performance.now() < deadline ? nextRequest() : undefined;
      },
      answered: (milliseconds) => {
        const now = performance.now();
        if (unanswered > 0) {
          unanswered -= 1;
          uncounted += 1;
          if (unanswered === 0) introduced.resolve();
        } else if (now >= begin && now < deadline) latencies.push(milliseconds);
        else uncounted += 1;
      },
      failed: finished.reject,
      stopped: () => {
        open -= 1;
        if (open === 0) finished.resolve();
      },
    }),
  );
  const watchdog = setTimeout(
    () => finished.reject(new Error(`no end ${PATIENCE_SECONDS} s after the round should have ended`)),
    (leadInSeconds + seconds + PATIENCE_SECONDS) * 1000,
  );
  try {
    await Promise.race([finished.promise, Promise.all(lanes.map((lane) => lane.ready))]);
    for (const lane of lanes) lane.send();
    await Promise.race([finished.promise, introduced.promise]);
    const cpuBefore = process.cpuUsage();
    const sent = performance.now();
    begin = sent + leadInSeconds * 1000;
    deadline = begin + seconds * 1000;
    for (const lane of lanes) lane.send();
    await finished.promise;
    const cpu = process.cpuUsage(cpuBefore);
    return {
      rate: latencies.length / seconds,
      p99: percentile(latencies, 0.99),
      answers: latencies.length + uncounted,
      busy: (cpu.user + cpu.system) / 1000 / (performance.now() - sent),
    };
  } finally {
    clearTimeout(watchdog);
    for (const lane of lanes) lane.close();
  }
}

/** `Promise.withResolvers` is not in Node 20. */
function withResolvers() {
  /** @type {{ promise: Promise<void>, resolve: () => void, reject: (error: Error) => void }} */
  const result = { promise: Promise.resolve(), resolve: () => {}, reject: () => {} };
  result.promise = new Promise((resolve, reject) => Object.assign(result, { resolve, reject }));
  return result;
}

async function answer(/** @type {Round} */ round) {
  try {
    process.send?.({ result: await runRound(round) });
  } catch (error) {
    process.send?.({ error: error instanceof Error ? error.message : String(error) });
  }
}

process.on('message', (/** @type {Round} */ round) => void answer(round));
process.on('disconnect', () => process.exit());
process.send?.({ ready: true });
