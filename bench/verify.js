import net from 'node:net';
import { answerLength, statusOf } from './connection.js';
import { invalidRequest, recipes, requestRing, wrongRequest } from './requests.js';

const TIMEOUT_MS = 5000;
/** A serial number that the generator does not come to. */
const NEVER_MEASURED = 999_999_999_999;
const refused = (/** @type {number} */ status) => status >= 400 && status < 500;

/**
 * Proves that a contender does what it is measured for: a right request is answered 200 and reaches the
 * handler, a wrong signature or credential is refused, an invalid body too where the contender validates.
 *
 * @param {import('./contenders/index.js').Contender} contender
 * @param {import('./child.js').Child} server
 */
export async function verify(contender, server) {
  const { id, recipe, validates, variant } = contender;
  const expect = async (
    /** @type {string} */ what,
    /** @type {Buffer} */ request,
    /** @type {(status: number) => boolean} */ fits,
    /** @type {number} */ handled,
    logLines = 0,
  ) => {
    await server.ask('reset');
    const status = await statusFor(server.port, request);
    const seen = await settled(server, { handled, logLines });
    if (fits(status) && seen.handled === handled) return seen;
    throw new Error(`${id}: ${what} was answered ${status} and reached the handler ${seen.handled} times`);
  };

  const right = requestRing(recipe, 1, () => NEVER_MEASURED)();
  const lines = variant?.log ? 1 : 0;
  const { logLines } = await expect('a right request', right, (status) => status === 200, 1, lines);
  if (logLines !== lines) throw new Error(`${id}: one event gave ${logLines} log lines, expected ${lines}`);
  if ('wrongHeaders' in recipes[recipe] || 'sign' in recipes[recipe]) {
    await expect('a wrong signature or credential', wrongRequest(recipe), refused, 0);
  }
  if (validates) await expect('an invalid body', invalidRequest(recipe), refused, 0);
}

/**
 * What a server did since its counters were reset, once it has done as much as expected: some receivers answer before
 * they call the handler, and pino writes its lines when the event loop has time.
 *
 * @param {import('./child.js').Child} server
 * @param {Work} expected
 * @returns {Promise<import('./server.js').ServerReport>}
 */
export async function settled(server, expected) {
  const first = await server.ask('report');
  let latest = first;
  for (let attempt = 0; attempt < 20 && lacks(latest, expected); attempt += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    latest = await server.ask('report');
  }
  return { ...latest, cpu: first.cpu };
}

/** @typedef {Pick<import('./server.js').ServerReport, 'handled' | 'logLines'>} Work */
const lacks = (/** @type {Work} */ done, /** @type {Work} */ expected) =>
  done.handled < expected.handled || done.logLines < expected.logLines;

/** @returns {Promise<number>} the status of the answer to one request on a connection of its own */
function statusFor(/** @type {number} */ port, /** @type {Buffer} */ request) {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = net.connect(port, '127.0.0.1', () => socket.write(request));
    socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error('no answer')));
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the connection closed without an answer')));
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      const length = answerLength(text);
      if (length === undefined || length > text.length) return;
      resolve(statusOf(text));
      socket.destroy();
    });
  });
}
