import { setTimeout as sleep } from 'node:timers/promises';
import { createReceiver, noAuth } from '../../dist/public/index.js';
import { message } from '../bodies.js';
import { openBoss } from './bare-pg-boss.js';
import { openDelivery } from './handoff-kit.js';

/**
 * Stores events and drains stores, or only sends replies, in a child process. The parent asks for one task at a time.
 *
 * @typedef {{ id: string, folder: string, url: string, schema: string }} Store
 *
 * @typedef {object} Task
 * @property {'store' | 'drain' | 'fetch'} task
 * @property {Store} store
 * @property {number} count of events
 * @property {number} [withinMs] when to give up draining
 * @property {{ port: number, replies: boolean }} [platform] where replies go; `replies`: one for each event
 *
 * @typedef {object} DrainResult
 * @property {number} handled events that were handled
 * @property {number} ms from the first handler to the last, or its reply, or to the end of the time
 * @property {number} cpu CPU time of this process in microseconds
 * @property {boolean} gaveUp whether the time ended first
 */

const CONVERSATIONS = 1_000;
const AT_ONCE = 200;
const DEFAULT_WITHIN_MS = 120_000;
const body = message();

const ignore = () => {};
/** @type {import('../../dist/public/index.js').Log} */
const log = {
  debug: ignore,
  info: ignore,
  warn: console.warn,
  error: console.error,
  child: () => log,
};

/** @type {Omit<import('../../dist/delivery/index.js').DeliveryReceiver, 'handle'>} */
const host = {
  name: 'bench',
  hasBot: () => true,
  handles: () => true,
  greet: async () => {},
  report: (error) => console.error(error),
  log,
};

/** Stores events that no worker handles yet. */
async function storeEvents(/** @type {Store} */ store, /** @type {number} */ count) {
  const { add, close } = await (store.id === 'pg-boss' ? addToBoss(store) : addToDelivery(store));
  for (let from = 0; from < count; from += AT_ONCE) {
    const numbers = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, index) => from + index);
    await Promise.all(numbers.map((number) => add(number, `conversation-${number % CONVERSATIONS}`)));
  }
  await close();
}

async function addToDelivery(/** @type {Store} */ store) {
  const delivery = openDelivery(store);
  // A delivery that is connected and not started stores events and handles none.
  delivery.connect({ ...host, handle: async () => undefined });
  return {
    add: async (/** @type {number} */ number, /** @type {string} */ conversationId) => {
      const acceptance = await delivery.accept({
        name: 'message',
        bot: 'default',
        key: `message ${number}`,
        conversationId,
        body: JSON.parse(body),
        receivedAt: Date.now(),
        requestId: String(number),
      });
      if (acceptance !== 'stored') throw new Error(`an event was not stored: ${acceptance}`);
    },
    close: () => delivery.stop({ timeoutMs: 1 }),
  };
}

async function addToBoss(/** @type {Store} */ { url, schema }) {
  const { send, close } = await openBoss(url, schema);
  return {
    add: (/** @type {number} */ number, /** @type {string} */ conversation) =>
      send(`message ${number}`, conversation, { content: body }),
    close,
  };
}

/**
 * Handles events of a store until `count` were handled or the time is up.
 *
 * @param {Store} store
 * @param {number} count
 * @param {number} withinMs
 * @param {Task['platform']} [platform]
 * @returns {Promise<DrainResult>}
 */
async function drain(store, count, withinMs, platform) {
  let handled = 0;
  let firstAt = 0;
  let lastAt = 0;
  let cpu = process.cpuUsage();
  let finish = ignore;
  const finished = new Promise((resolve) => {
    finish = () => resolve(undefined);
  });
  const timer = setTimeout(() => finish(), withinMs);
  const onHandled = () => {
    if (handled === count) return;
    handled += 1;
    if (handled === 1) {
      firstAt = performance.now();
      cpu = process.cpuUsage();
    } else if (handled === count) {
      lastAt = performance.now();
      finish();
    }
  };
  const repliesBefore = platform ? await repliesOf(platform) : 0;
  const close = await startDraining(store, onHandled, platform);
  await finished;
  clearTimeout(timer);
  if (platform?.replies) {
    while ((await repliesOf(platform)) < repliesBefore + count) await sleep(10);
    lastAt = performance.now();
  }
  const { user, system } = process.cpuUsage(cpu);
  const gaveUp = handled < count;
  if (gaveUp) lastAt = performance.now();
  await close();
  return { handled, ms: handled === 0 ? withinMs : lastAt - firstAt, cpu: user + system, gaveUp };
}

/** How many replies each engine sends at once by default. @type {Readonly<Record<string, number>>} */
const SENDS_AT_ONCE = { sqlite: 16, postgres: 32 };

/**
 * Sends as many replies with `fetch` alone, as many at once as the engine of the store would.
 *
 * @param {Store} store
 * @param {number} count
 * @param {number} port
 * @returns {Promise<DrainResult>}
 */
async function sendOnly({ id }, count, port) {
  const startedAt = performance.now();
  const cpu = process.cpuUsage();
  let begun = 0;
  const sendInTurn = async () => {
    while (begun < count) {
      begun += 1;
      const response = await fetch(`http://127.0.0.1:${port}/v1/message/human/receive`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer bench' },
        body: JSON.stringify({ conversation_id: String(begun), message: 'On Thursday.' }),
        signal: AbortSignal.timeout(10_000),
      });
      await response.json();
    }
  };
  await Promise.all(Array.from({ length: SENDS_AT_ONCE[id] ?? 1 }, sendInTurn));
  const { user, system } = process.cpuUsage(cpu);
  return { handled: count, ms: performance.now() - startedAt, cpu: user + system, gaveUp: false };
}

/** How many replies the platform has had. */
async function repliesOf(/** @type {{ port: number }} */ { port }) {
  return Number(await (await fetch(`http://127.0.0.1:${port}`)).text());
}

/**
 * @param {Store} store
 * @param {() => void} onHandled
 * @param {Task['platform']} platform
 */
function startDraining(store, onHandled, platform) {
  if (platform) return startReceiver(store, onHandled, platform);
  return store.id === 'pg-boss' ? startBoss(store, onHandled) : startDelivery(store, onHandled);
}

/**
 * @param {Store} store
 * @param {() => void} onHandled
 * @param {NonNullable<Task['platform']>} platform
 */
async function startReceiver(store, onHandled, { port, replies }) {
  const receiver = createReceiver({
    auth: { message: noAuth(), handoff: noAuth() },
    platform: { baseUrl: `http://127.0.0.1:${port}`, apiKey: 'bench' },
    delivery: openDelivery(store),
    log: false,
  });
  receiver.on('handoff.requested', () => undefined);
  receiver.on('handoff.message', async ({ reply }) => {
    if (replies) await reply('On Thursday.');
    onHandled();
  });
  await receiver.start();
  return () => receiver.close({ timeoutMs: 10_000 });
}

async function startDelivery(/** @type {Store} */ store, /** @type {() => void} */ onHandled) {
  const delivery = openDelivery(store);
  delivery.connect({ ...host, handle: async () => onHandled() });
  await delivery.start?.();
  return () => delivery.stop({ timeoutMs: 10_000 });
}

async function startBoss(/** @type {Store} */ { url, schema }, /** @type {() => void} */ onHandled) {
  const { work, close } = await openBoss(url, schema);
  await work(({ content }) => {
    JSON.parse(content);
    onHandled();
  });
  return close;
}

process.on(
  'message',
  (/** @type {Task} */ { task, store, count, withinMs = DEFAULT_WITHIN_MS, platform }) => {
    const run = () => {
      if (task === 'store') return storeEvents(store, count);
      if (task === 'fetch' && platform) return sendOnly(store, count, platform.port);
      return drain(store, count, withinMs, platform);
    };
    run().then(
      (result) => process.send?.({ result }),
      (error) => process.send?.({ error: error.stack }),
    );
  },
);
process.on('disconnect', () => process.exit());
process.send?.({ ready: true });
