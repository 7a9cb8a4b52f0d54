import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createDesk, LATENCY_MS } from './bridge-desk.js';
import { quantile, startBridge } from './bridge-setup.js';
import { busyWarning, machine } from './machine.js';

const HELP = `npm run bench:bridge-load -- [options]

  --quick  10 and 100 conversations, one round each
  --help   prints this text

Measures the bridge with 10, 100 and 1,000 concurrent conversations, three rounds each. It fails if a message is lost or
out of order, and writes nothing.`;

const { values: flags } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
});
if (flags.help) {
  console.log(HELP);
  process.exit();
}

const SIZES = flags.quick ? [10, 100] : [10, 100, 1_000];
/** Each round has new conversations on the same bridge, so that leaks add up. */
const ROUNDS = flags.quick ? 1 : 3;
const MESSAGES = 10;
/** Conversations start apart: all at once would measure the kernel's queue of connections. */
const START_APART_MS = 2;
const ROUND_TIMEOUT_MS = 300_000;
/** No conversation waits for a worker slot: each spends most of its time waiting for the desk. */
const CONCURRENCY = 1_024;

setFlagsFromString('--expose_gc');
const collectGarbage = runInNewContext('gc');

/** The heap after a garbage collection, in MiB. */
function heapMb() {
  collectGarbage();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

/**
 * Waits for the texts that conversations are to receive. A conversation that receives a wrong text fails the run;
 * repeats are counted.
 */
function createInbox() {
  /** @type {Map<string, { text: string, resolve: () => void, reject: (error: Error) => void }>} */
  const expected = new Map();
  /** @type {Map<string, Set<string>>} */
  const received = new Map();
  let repeats = 0;
  return {
    /** @param {string} id @param {string} text */
    expect: (id, text) =>
      new Promise((resolve, reject) => expected.set(id, { text, resolve: () => resolve(undefined), reject })),
    /** @param {string} id @param {string} text */
    receive: (id, text) => {
      const earlier = received.get(id) ?? new Set();
      received.set(id, earlier);
      const next = expected.get(id);
      if (earlier.has(text)) repeats += 1;
      else if (next?.text === text) {
        expected.delete(id);
        next.resolve();
      } else next?.reject(new Error(`${id}: received ${text} instead of ${next.text}`));
      earlier.add(text);
    },
    /** Texts that were expected and not received. */
    missing: () => [...expected].map(([id, { text }]) => `${id} ${text}`),
    /** Clears everything. Returns how many texts were received twice, because their first answer was lost. */
    clear: () => {
      const count = repeats;
      repeats = 0;
      received.clear();
      expected.clear();
      return count;
    },
  };
}

/**
 * Runs `size` conversations at once, each from its request to its end, with an answer to every message.
 *
 * @param {Awaited<ReturnType<typeof startBridge>>} bridge
 * @param {{ desk: ReturnType<typeof createInbox>, user: ReturnType<typeof createInbox> }} inboxes
 * @param {string} round
 * @param {number} size
 */
async function runConversations(bridge, inboxes, round, size) {
  /** @type {number[]} */
  const toDesk = [];
  /** @type {number[]} */
  const toUser = [];

  const timed = async (/** @type {number[]} */ times, /** @type {() => Promise<unknown>} */ task) => {
    const startedAt = performance.now();
    await task();
    times.push(performance.now() - startedAt);
  };

  const runConversation = async (/** @type {number} */ index) => {
    const id = `${round}-${index}`;
    await sleep(index * START_APART_MS);
    const externalId = `ticket-${id}`;
    const author = { kind: 'agent', name: 'Ada' };
    await bridge.requestHandoff(id);
    for (let nth = 1; nth <= MESSAGES; nth += 1) {
      const [question, answer] = [`question ${nth}`, `answer ${nth}`];
      await timed(toDesk, async () => {
        const received = inboxes.desk.expect(id, question);
        await bridge.postAccepted('/chat', {
          conversation_id: id,
          timestamp: Date.now() + nth,
          body: question,
        });
        await received;
      });
      await timed(toUser, async () => {
        const received = inboxes.user.expect(id, answer);
        const event = { kind: 'message', id: `${id} ${nth}`, externalId, author, text: answer };
        await bridge.postAccepted('/desk', [{ ...event, internal: false, messageId: null }]);
        await received;
      });
    }
    const received = inboxes.user.expect(id, '');
    await bridge.postAccepted('/desk', [{ kind: 'closed', id: `${id} end`, externalId, author }]);
    await received;
  };

  const startedAt = performance.now();
  const cpu = process.cpuUsage();
  await Promise.all(Array.from({ length: size }, (_, index) => runConversation(index)));
  const seconds = (performance.now() - startedAt) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  return { seconds, cpuMs: (user + system) / 1_000 / (2 * size * MESSAGES), toDesk, toUser };
}

const COLUMNS = [
  'conversations',
  'round',
  'messages/s',
  'to desk p50',
  'p99 ms',
  'to user p50',
  'p99 ms',
  'CPU ms/message',
  'heap MiB',
  'failures',
  'repeats',
];

function line(/** @type {readonly (string | number)[]} */ cells) {
  return cells.map((cell, index) => String(cell).padStart(COLUMNS[index]?.length ?? 0)).join('  ');
}

console.log(`${machine()}\n${busyWarning() ?? ''}`);
console.log(
  `Each conversation: a request, ${MESSAGES} messages each way, an end. The desk takes ${LATENCY_MS} ms per call and fails in 3 of 100.`,
);
console.log('The user, the platform, the desk, the receiver and the bridge share this process.\n');
console.log(line(COLUMNS));

/** @param {{ desk: ReturnType<typeof createInbox>, user: ReturnType<typeof createInbox> }} inboxes */
function failLateRound(inboxes) {
  const missing = [...inboxes.desk.missing(), ...inboxes.user.missing()];
  console.error(
    `bench: not delivered after ${ROUND_TIMEOUT_MS / 1_000} s: ${missing.slice(0, 5).join(', ')}`,
  );
  process.exit(1);
}

for (const size of SIZES) {
  const inboxes = { desk: createInbox(), user: createInbox() };
  const desk = createDesk(inboxes.desk.receive);
  const bridge = await startBridge({
    adapter: desk.adapter,
    onReply: inboxes.user.receive,
    concurrency: CONCURRENCY,
    bridge: { openWithinMs: 30_000 },
  });
  for (let round = 1; round <= ROUNDS; round += 1) {
    const before = desk.failures;
    const timeout = setTimeout(failLateRound, ROUND_TIMEOUT_MS, inboxes);
    const { seconds, cpuMs, toDesk, toUser } = await runConversations(
      bridge,
      inboxes,
      `${size}-${round}`,
      size,
    );
    clearTimeout(timeout);
    desk.clear();
    const repeats = inboxes.desk.clear() + inboxes.user.clear();
    const cells = [
      size,
      round,
      Math.round((2 * size * MESSAGES) / seconds),
      Math.round(quantile(toDesk, 0.5)),
      Math.round(quantile(toDesk, 0.99)),
      Math.round(quantile(toUser, 0.5)),
      Math.round(quantile(toUser, 0.99)),
      cpuMs.toFixed(2),
      heapMb().toFixed(1),
      desk.failures - before,
      repeats,
    ];
    console.log(line(cells));
  }
  await bridge.stop();
}
