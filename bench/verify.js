import net from 'node:net';
import { answerLength, statusOf } from './connection.js';
import { invalidRequest, recipes, requestRing, wrongRequest } from './requests.js';

const TIMEOUT_MS = 5000;
/** A serial number that the generator never reaches. */
const UNUSED_SERIAL = 999_999_999_999;
const refused = (/** @type {number} */ status) => status >= 400 && status < 500;

/**
 * Checks that a contender does the work that is measured: it answers a valid request with 200 and calls the handler, it
 * refuses a wrong signature or credential, and an invalid body if it validates.
 *
 * @param {import('./contenders/index.js').Contender} contender
 * @param {import('./child.js').Child} server
 */
export async function verify(contender, server) {
  const { id, recipe, validates, readsText, variant } = contender;
  const expect = async (
    /** @type {string} */ what,
    /** @type {Buffer} */ request,
    /** @type {(status: number) => boolean} */ fits,
    /** @type {number} */ handled,
    logLines = 0,
  ) => {
    await server.ask('reset');
    const status = await statusFor(server.port, request);
    const seen = await waitForReport(server, { handled, logLines });
    if (fits(status) && seen.handled === handled) return seen;
    throw new Error(`${id}: ${what} was answered ${status} and reached the handler ${seen.handled} times`);
  };

  const valid = requestRing(recipe, 1, () => UNUSED_SERIAL)();
  const lines = variant?.log ? 1 : 0;
  const { logLines, textsRead } = await expect(
    'a valid request',
    valid,
    (status) => status === 200,
    1,
    lines,
  );
  if (readsText && textsRead !== 1) throw new Error(`${id}: the handler did not read the text`);
  if (logLines !== lines) throw new Error(`${id}: one event gave ${logLines} log lines, expected ${lines}`);
  if ('wrongHeaders' in recipes[recipe] || 'sign' in recipes[recipe]) {
    await expect('a wrong signature or credential', wrongRequest(recipe), refused, 0);
  }
  if (validates) await expect('an invalid body', invalidRequest(recipe), refused, 0);
}

/**
 * Waits up to a second until a server reports the expected counts: some receivers answer before they call the handler,
 * and pino writes its lines later.
 *
 * @param {import('./child.js').Child} server
 * @param {Work} expected
 * @returns {Promise<import('./server.js').ServerReport>}
 */
export async function waitForReport(server, expected) {
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

/** @returns {Promise<number>} the status of the answer to one request on a new connection */
function statusFor(/** @type {number} */ port, /** @type {Buffer} */ request) {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = net.connect(port, '127.0.0.1', () => socket.write(request));
    socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error('no answer')));
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the connection was closed without an answer')));
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      const length = answerLength(text);
      if (length === undefined || length > text.length) return;
      resolve(statusOf(text));
      socket.destroy();
    });
  });
}
