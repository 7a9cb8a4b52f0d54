import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { LATENCY_MS } from './bridge-desk.js';
import { createWorld } from './bridge-world.js';
import { busyWarning, machine } from './machine.js';

const SIZES = [10, 100, 1_000];
/** Each round has new conversations on the same bridge, so that what it does not let go of adds up. */
const ROUNDS = 3;
const MESSAGES = 10;
/** All at the same millisecond would measure how the kernel queues connections. */
const APART_MS = 2;
const GIVE_UP_MS = 300_000;

setFlagsFromString('--expose_gc');
const collectGarbage = runInNewContext('gc');

/** The heap in use, once what nobody holds is gone. */
function heap() {
  collectGarbage();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

/**
 * @param {number[]} values
 * @param {number} share
 */
const quantile = (values, share) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;

/** Waits of conversations for what they are to hear next. Hears in order, or ends the run. */
function createHearing() {
  /** @type {Map<string, { text: string, resolve: () => void, reject: (error: Error) => void }>} */
  const waiting = new Map();
  /** @type {Map<string, Set<string>>} */
  const known = new Map();
  let repeats = 0;
  return {
    /** @param {string} id @param {string} text */
    expect: (id, text) =>
      new Promise((resolve, reject) => waiting.set(id, { text, resolve: () => resolve(undefined), reject })),
    /** @param {string} id @param {string} text */
    heard: (id, text) => {
      const before = known.get(id) ?? new Set();
      known.set(id, before);
      const next = waiting.get(id);
      if (before.has(text)) repeats += 1;
      else if (next?.text === text) {
        waiting.delete(id);
        next.resolve();
      } else next?.reject(new Error(`${id}: heard ${text} in place of ${next.text}`));
      before.add(text);
    },
    /** What nobody has heard so far. */
    left: () => [...waiting].map(([id, { text }]) => `${id} ${text}`),
    /** Forgets what was heard, and tells how often something came twice: its first answer was lost. */
    forget: () => {
      const count = repeats;
      repeats = 0;
      known.clear();
      waiting.clear();
      return count;
    },
  };
}

/**
 * So many conversations at once, each from its request to its end, with an answer to every message.
 *
 * @param {Awaited<ReturnType<typeof createWorld>>} world
 * @param {{ desk: ReturnType<typeof createHearing>, user: ReturnType<typeof createHearing> }} hearing
 * @param {string} round
 * @param {number} size
 */
async function talk(world, hearing, round, size) {
  /** @type {number[]} */
  const toDesk = [];
  /** @type {number[]} */
  const toUser = [];

  const timed = async (/** @type {number[]} */ times, /** @type {() => Promise<unknown>} */ task) => {
    const began = performance.now();
    await task();
    times.push(performance.now() - began);
  };
  const accepted = async (/** @type {string} */ path, /** @type {unknown} */ json) => {
    const status = await world.post(path, json);
    if (status !== 200) throw new Error(`${path} was answered ${status}`);
  };

  const one = async (/** @type {number} */ index) => {
    const id = `${round}-${index}`;
    await sleep(index * APART_MS);
    const externalId = `ticket-${id}`;
    const author = { kind: 'agent', name: 'Ada' };
    await accepted('/conversation/establish', {
      conversation_id: id,
      timestamp: Date.now(),
      email: null,
      bot_id: 'bench',
      body: [{ text: 'A human, please.', message_type: 'QUESTION' }],
      user_info: { phone: null, email: null, user_id: id, anonymous_id: null },
    });
    for (let nth = 1; nth <= MESSAGES; nth += 1) {
      const [question, answer] = [`question ${nth}`, `answer ${nth}`];
      await timed(toDesk, async () => {
        const heard = hearing.desk.expect(id, question);
        await accepted('/chat', { conversation_id: id, timestamp: Date.now() + nth, body: question });
        await heard;
      });
      await timed(toUser, async () => {
        const heard = hearing.user.expect(id, answer);
        const event = { kind: 'message', id: `${id} ${nth}`, externalId, author, text: answer };
        await accepted('/desk', [{ ...event, internal: false, messageId: null }]);
        await heard;
      });
    }
    const heard = hearing.user.expect(id, '');
    await accepted('/desk', [{ kind: 'closed', id: `${id} end`, externalId, author }]);
    await heard;
  };

  const began = performance.now();
  const cpu = process.cpuUsage();
  await Promise.all(Array.from({ length: size }, (_, index) => one(index)));
  const seconds = (performance.now() - began) / 1_000;
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
  `Each conversation: a request, ${MESSAGES} messages each way, an end. The desk takes ${LATENCY_MS} ms a call and stumbles in 3 of 100.`,
);
console.log('The user, the platform, the desk, the receiver and the bridge share this process.\n');
console.log(line(COLUMNS));

/** @param {{ desk: ReturnType<typeof createHearing>, user: ReturnType<typeof createHearing> }} hearing */
function giveUpOn(hearing) {
  const left = [...hearing.desk.left(), ...hearing.user.left()];
  console.error(`bench: not delivered after ${GIVE_UP_MS / 1_000} s: ${left.slice(0, 5).join(', ')}`);
  process.exit(1);
}

for (const size of SIZES) {
  const hearing = { desk: createHearing(), user: createHearing() };
  const world = await createWorld({ onMessage: hearing.desk.heard, onReply: hearing.user.heard });
  for (let round = 1; round <= ROUNDS; round += 1) {
    const before = world.desk.failures;
    const giveUp = setTimeout(giveUpOn, GIVE_UP_MS, hearing);
    const { seconds, cpuMs, toDesk, toUser } = await talk(world, hearing, `${size}-${round}`, size);
    clearTimeout(giveUp);
    world.desk.forget();
    const repeats = hearing.desk.forget() + hearing.user.forget();
    const cells = [
      size,
      round,
      Math.round((2 * size * MESSAGES) / seconds),
      Math.round(quantile(toDesk, 0.5)),
      Math.round(quantile(toDesk, 0.99)),
      Math.round(quantile(toUser, 0.5)),
      Math.round(quantile(toUser, 0.99)),
      cpuMs.toFixed(2),
      heap().toFixed(1),
      world.desk.failures - before,
      repeats,
    ];
    console.log(line(cells));
  }
  await world.end();
}
