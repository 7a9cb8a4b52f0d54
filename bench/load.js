import { openConnection } from './connection.js';
import { requestRing } from './requests.js';
import { percentile } from './rounds.js';

/**
 * The load generator, a child process. It runs one round at a time for its parent and reports the result.
 *
 * @typedef {object} Round
 * @property {number} port
 * @property {import('./requests.js').RecipeName} recipe
 * @property {number} seconds
 * @property {number} [leadInSeconds] of the same load before the round, counted only in `answers`
 * @property {number} connections
 *
 * @typedef {object} RoundResult
 * @property {number} rate answers per second
 * @property {number} p99 milliseconds
 * @property {number} answers all answers, with those before and after the round
 * @property {number} busy the share of a CPU that the generator took
 */

/** Requests in a ring. They are signed again for every round, because Slack's signatures expire. */
const RING = 1024;
/** A round that is this late has failed. */
const GRACE_SECONDS = 10;

/** Unique per request of this generator. */
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
  // Each connection is used once before the load starts, because a busy server accepts new ones slowly.
  let unused = connections;
  let unanswered = connections;
  const allConnected = withResolvers();
  const finished = withResolvers();

  const sockets = Array.from({ length: connections }, () =>
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
          if (unanswered === 0) allConnected.resolve();
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
    () => finished.reject(new Error(`the round is more than ${GRACE_SECONDS} s late`)),
    (leadInSeconds + seconds + GRACE_SECONDS) * 1000,
  );
  try {
    await Promise.race([finished.promise, Promise.all(sockets.map((socket) => socket.ready))]);
    for (const socket of sockets) socket.send();
    await Promise.race([finished.promise, allConnected.promise]);
    const cpuBefore = process.cpuUsage();
    const sent = performance.now();
    begin = sent + leadInSeconds * 1000;
    deadline = begin + seconds * 1000;
    for (const socket of sockets) socket.send();
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
    for (const socket of sockets) socket.close();
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
