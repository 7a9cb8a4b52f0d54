/**
 * Counts the files of `dist` that one message passes through, from the socket to the end of its handler, in a receiver
 * that is warm: with inline delivery, SQLite and PostgreSQL.
 *
 *   npm run build && node scripts/count-files.js
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startPostgres } from '../bench/delivery/postgres-server.js';
import { postgres } from '../dist/public/delivery/postgres.js';
import { sqlite } from '../dist/public/delivery/sqlite.js';
import { createReceiver, inline, webhookUser } from '../dist/public/index.js';

const DIST = new URL('../dist/', import.meta.url).href;
const WARM_UP_REQUESTS = 20;
const SETTLE_MS = 50;
/** Long, so that no timer runs while the request is handled. */
const TIMERS = { leaseMs: 60_000, pollMs: 60_000 };

/** @type {import('../dist/public/index.js').Log} */
const quietLog = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => quietLog,
  isLevelEnabled: () => false,
};

/** @typedef {(method: string, params?: object) => Promise<any>} Post Calls the inspector of a thread. */

/** The inspectors of this thread and of those that it has started. @param {Session} session @returns {Promise<Post[]>} */
async function inspectThreads(session) {
  /** @type {Post[]} */
  const threads = [(method, params) => session.post(/** @type {any} */ (method), params)];
  /** @type {Map<number, (answer: any) => void>} */
  const answers = new Map();
  session.on('NodeWorker.attachedToWorker', ({ params: { sessionId } }) => {
    threads.push(
      (method, params) =>
        new Promise((resolve) => {
          const id = answers.size + 1;
          answers.set(id, resolve);
          const message = JSON.stringify({ id, method, params });
          void session.post('NodeWorker.sendMessageToWorker', { sessionId, message });
        }),
    );
  });
  session.on('NodeWorker.receivedMessageFromWorker', ({ params: { message } }) => {
    const { id, result } = JSON.parse(message);
    answers.get(id)?.(result);
  });
  await session.post('NodeWorker.enable', { waitForDebuggerOnStart: false });
  await delay(SETTLE_MS);
  return threads;
}

/** Our files in which a function was called since the last time. @param {Post[]} threads */
async function takeFiles(threads) {
  const coverages = await Promise.all(threads.map((post) => post('Profiler.takePreciseCoverage')));
  const called = coverages
    .flatMap(({ result }) => result)
    .filter(({ functions }) => functions.some((/** @type {any} */ { ranges }) => ranges[0].count > 0))
    .flatMap(({ url }) => (url.startsWith(DIST) ? url.slice(DIST.length) : []));
  return [...new Set(called)].toSorted((one, other) => one.localeCompare(other));
}

/** @param {string} name @param {import('../dist/public/index.js').Delivery} delivery */
async function count(name, delivery) {
  const message = webhookUser({ username: 'acme', secret: 'secret' });
  const receiver = createReceiver({ auth: { message, handoff: false }, delivery, log: quietLog });
  let handled = 0;
  receiver.on('message', async ({ text }) => {
    if (text === 'Hello') handled += 1;
  });
  await receiver.start();
  const server = createServer(receiver).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  const send = async (/** @type {number} */ number) => {
    const response = await fetch(`http://127.0.0.1:${address.port}/`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Basic ${Buffer.from('acme:secret').toString('base64')}`,
      },
      body: JSON.stringify({
        conversation_id: 'conversation-1',
        message_id: `message-${number}`,
        create_time: Date.now(),
        user_id: 'user-1',
        anonymous_id: null,
        output: [{ content: { text: 'Hello' } }],
      }),
    });
    if (response.status !== 200) throw new Error(`answered ${response.status}: ${await response.text()}`);
    await response.text();
    while (handled < number) await delay(1);
    // The outcome of a stored event is recorded after its handler.
    await delay(SETTLE_MS);
  };

  const session = new Session();
  session.connect();
  try {
    for (let number = 1; number <= WARM_UP_REQUESTS; number += 1) await send(number);
    const threads = await inspectThreads(session);
    for (const post of threads) {
      await post('Profiler.enable');
      await post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    }
    await takeFiles(threads);
    await send(WARM_UP_REQUESTS + 1);
    const files = await takeFiles(threads);
    console.log(`${name}: ${files.length} files`);
    for (const file of files) console.log(`  ${file}`);
  } finally {
    session.disconnect();
    server.closeAllConnections();
    server.close();
    await receiver.close();
  }
}

const folder = mkdtempSync(join(tmpdir(), 'handoff-kit-files-'));
const server = await startPostgres();
try {
  await count('inline', inline());
  await count('SQLite', sqlite({ file: join(folder, 'events.db'), ...TIMERS }));
  await count('PostgreSQL', postgres({ connectionString: server.url, ...TIMERS }));
} finally {
  await server.remove();
  rmSync(folder, { recursive: true });
}
