import { join } from 'node:path';
import { postgres } from '../../dist/delivery/postgres/index.js';
import { sqlite } from '../../dist/delivery/sqlite/index.js';
import { message } from '../bodies.js';
import { openBoss } from './bare-boss.js';

/**
 * Stores events while nobody handles them, and then has them handled: `backlog.js <contender> <folder> <url>
 * <schema> <count>`. A process of its own for each round.
 */
const [id = '', folder = '', url = '', schema = '', howMany = '0'] = process.argv.slice(2);
const total = Number(howMany);

const CONVERSATIONS = 1_000;
const AT_ONCE = 200;
const body = message();

const quiet = () => {};
/** @type {import('../../dist/index.js').Log} */
const log = {
  trace: quiet,
  debug: quiet,
  info: quiet,
  warn: console.warn,
  error: console.error,
  child: () => log,
};

/** Does something for each number, many at once. */
async function forAll(/** @type {(number: number) => Promise<unknown>} */ work) {
  for (let from = 0; from < total; from += AT_ONCE) {
    const numbers = Array.from({ length: Math.min(AT_ONCE, total - from) }, (_, index) => from + index);
    await Promise.all(numbers.map(work));
  }
}

/** Waits until all were handled; says how many a second that were, and what it cost. */
async function timed(/** @type {(handled: () => void) => Promise<unknown> | void} */ begin) {
  let handled = 0;
  const cpu = process.cpuUsage();
  const began = performance.now();
  await new Promise((resolve, reject) => {
    const count = () => {
      handled += 1;
      if (handled === total) resolve(undefined);
    };
    Promise.resolve(begin(count)).catch(reject);
  });
  const { user, system } = process.cpuUsage(cpu);
  return { handled: (total / (performance.now() - began)) * 1_000, cpu: (user + system) / total };
}

function openKit(concurrency = 32) {
  if (id === 'sqlite') return sqlite({ file: join(folder, 'backlog.db'), concurrency });
  return postgres({ connectionString: url, schema, concurrency });
}

const eventOf = (/** @type {number} */ number) => ({
  name: /** @type {const} */ ('message'),
  key: `message ${number}`,
  conversationId: `conversation-${number % CONVERSATIONS}`,
  body: JSON.parse(body),
  receivedAt: Date.now(),
  requestId: String(number),
});

async function runKit() {
  const host = {
    handles: () => true,
    greet: async () => {},
    report: (/** @type {unknown} */ error) => console.error(error),
    log,
  };
  // Without `start`, events are stored and nothing handles them.
  const storing = openKit();
  storing.connect({ ...host, handle: () => undefined });
  await forAll(async (number) => {
    const acceptance = await storing.accept(eventOf(number));
    if (acceptance !== 'stored') throw new Error(`an event was not stored: ${acceptance}`);
  });
  await storing.stop({ timeoutMs: 1 });
  const handling = openKit();
  return timed((handled) => {
    handling.connect({ ...host, handle: async () => handled() });
    return handling.start?.();
  });
}

async function runBoss() {
  const { send, work } = await openBoss(url, schema);
  await forAll((number) =>
    send(`message ${number}`, `conversation-${number % CONVERSATIONS}`, { content: body }),
  );
  return timed((handled) =>
    work(({ content }) => {
      JSON.parse(content);
      handled();
    }),
  );
}

process.on('message', () => {
  (id === 'bare-boss' ? runBoss() : runKit()).then(
    (result) => process.send?.({ result }),
    (error) => process.send?.({ error: error.message }),
  );
});
process.on('disconnect', () => process.exit());
process.send?.({ ready: true });
