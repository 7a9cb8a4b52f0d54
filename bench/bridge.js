import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { AdapterError, defineAdapter } from '../dist/public/adapter.js';
import { quantile, startBridge } from './bridge-setup.js';
import { busyWarning, machine } from './machine.js';

const HELP = `npm run bench:bridge -- [options]

  --quick  ten seconds of trouble instead of thirty; writes nothing
  --help   prints this text

Measures a receiver with the defaults while its helpdesk is slow, hangs or refuses. Writes BRIDGE.md. It fails if a
message is lost or out of order.`;

const { values: flags } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
});
if (flags.help) {
  console.log(HELP);
  process.exit();
}

const TROUBLE_MS = flags.quick ? 10_000 : 30_000;
const CONVERSATIONS = 100;
/** Each conversation says something this often, and an unrelated event arrives this often. */
const SAYS_EVERY_MS = 5_000;
const EVENT_EVERY_MS = 20;
const HEALTHY_MS = 20;

const failed = () => new AdapterError('transient', 'the helpdesk failed.');

/** What a call to the helpdesk does, by the kind of trouble. */
const TROUBLES = {
  'none (20 ms a call)': () => sleep(HEALTHY_MS),
  'slow (2 s a call)': () => sleep(2_000),
  'hangs (10 s a call, then an error)': async () => {
    await sleep(10_000);
    throw failed();
  },
  'refuses (an error at once)': async () => {
    throw failed();
  },
};

/** A helpdesk in memory, whose calls do what `trouble` says. */
function createDesk() {
  /** @type {Map<string, string[]>} */
  const received = new Map();
  const state = { calls: 0, lastAt: 0, trouble: TROUBLES['none (20 ms a call)'] };
  const call = async () => {
    state.calls += 1;
    await state.trouble();
  };
  const adapter = defineAdapter({
    name: 'bench-desk',
    capabilities: { inbound: ['webhook'], nativeClose: true, messageIds: true, maxTextLength: 10_000 },
    async open({ conversationId }) {
      await call();
      received.set(conversationId, []);
      return { externalId: conversationId };
    },
    async find({ conversationId }) {
      await call();
      return received.has(conversationId) ? { externalId: conversationId } : null;
    },
    async send({ conversationId }, { key, text }) {
      await call();
      const texts = received.get(conversationId) ?? [];
      if (!texts.includes(text)) texts.push(text);
      state.lastAt = performance.now();
      return { messageId: key };
    },
    close: call,
    verify: () => 'genuine',
    parse: () => ({ events: [] }),
    check: async () => [],
  });
  return { adapter, received, state };
}

/** @param {string} id */
const agentMessage = (id) => ({
  user_id: 'user',
  anonymous_id: null,
  conversation_id: id,
  message_id: id,
  create_time: Date.now(),
  output: [{ content: { text: 'Your order arrives on Thursday.' } }],
});

/** @param {keyof typeof TROUBLES} name */
async function measure(name) {
  const desk = createDesk();
  /** @type {Map<string, (at: number) => void>} */
  const pending = new Map();
  const bridge = await startBridge({
    adapter: desk.adapter,
    onAgentMessage: (id) => pending.get(id)?.(performance.now()),
  });
  const ids = Array.from({ length: CONVERSATIONS }, (_, index) => `c-${index}`);
  for (const id of ids) await bridge.requestHandoff(id);

  /** Sends an unrelated event; resolves to the milliseconds until its handler ran. */
  const timeEvent = async (/** @type {string} */ id) => {
    const startedAt = performance.now();
    const handled = new Promise((resolve) => pending.set(id, resolve));
    await bridge.postAccepted('/', agentMessage(id));
    return Number(await handled) - startedAt;
  };

  desk.state.trouble = TROUBLES[name];
  desk.state.calls = 0;
  const startedAt = performance.now();
  const elapsed = () => performance.now() - startedAt;
  /** @type {Promise<number>[]} */
  const events = [];
  const says = Math.floor(TROUBLE_MS / SAYS_EVERY_MS);
  const talk = async (/** @type {string} */ id, /** @type {number} */ index) => {
    for (let nth = 1; nth <= says; nth += 1) {
      await sleep(Math.max(0, (nth - 1 + index / CONVERSATIONS) * SAYS_EVERY_MS - elapsed()));
      const json = { conversation_id: id, timestamp: Date.now() + nth, body: `message ${nth}` };
      await bridge.postAccepted('/chat', json);
    }
  };
  const talks = Promise.all(ids.map(talk));
  for (let nth = 0; elapsed() < TROUBLE_MS; nth += 1) {
    events.push(timeEvent(`event-${nth}`));
    await sleep(EVENT_EVERY_MS);
  }
  await talks;
  const callsPerSecond = desk.state.calls / (elapsed() / 1_000);
  const latencies = await Promise.all(events);

  desk.state.trouble = TROUBLES['none (20 ms a call)'];
  const recoveredAt = performance.now();
  const expected = Array.from({ length: says }, (_, index) => `message ${index + 1}`).join();
  const missing = () => ids.filter((id) => desk.received.get(id)?.length !== says);
  while (missing().length > 0) {
    if (performance.now() - recoveredAt > 400_000) throw new Error(`not delivered: ${missing().join()}`);
    await sleep(20);
  }
  const wrong = ids.filter((id) => desk.received.get(id)?.join() !== expected);
  if (wrong.length > 0) throw new Error(`out of order: ${wrong.join()}`);
  await bridge.stop();
  const lastSeconds = Math.max(0, desk.state.lastAt - recoveredAt) / 1_000;
  return [
    name,
    latencies.length,
    quantile(latencies, 0.5).toFixed(1),
    quantile(latencies, 0.99).toFixed(1),
    callsPerSecond.toFixed(1),
    lastSeconds.toFixed(1),
  ];
}

const COLUMNS = [
  'helpdesk',
  'unrelated events',
  'p50 ms',
  'p99 ms',
  'calls/s',
  'recovery to last message, s',
];
const lines = [`| ${COLUMNS.join(' | ')} |`, `|${'---|'.repeat(COLUMNS.length)}`];
const warning = busyWarning();
for (const name of /** @type {(keyof typeof TROUBLES)[]} */ (Object.keys(TROUBLES))) {
  lines.push(`| ${(await measure(name)).join(' | ')} |`);
  console.log(lines.at(-1));
}
if (!flags.quick) {
  const text = `# The bridge with a failing helpdesk

\`npm run bench:bridge\` wrote this page: ${machine()}.${warning ? ` ${warning}` : ''}

${lines.join('\n')}

SQLite, with default options. In ${CONVERSATIONS} conversations a user writes every ${SAYS_EVERY_MS / 1_000} s for ${TROUBLE_MS / 1_000} s, while the helpdesk fails. Unrelated
events are bot messages, one every ${EVENT_EVERY_MS} ms, timed from the request to their handler. "calls/s" are calls to the helpdesk
during the failure. The last column is the time from recovery, when a call takes ${HEALTHY_MS} ms again, until the last of ${CONVERSATIONS * Math.floor(TROUBLE_MS / SAYS_EVERY_MS)}
messages arrives, each once and in order. User, platform, helpdesk, receiver and bridge share one process.
`;
  writeFileSync(new URL('BRIDGE.md', import.meta.url), text);
}
