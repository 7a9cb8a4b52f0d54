// Measures the desk under load: connected agents, open conversations, messages, and one agent in a real browser.
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { busyWarning, machine } from '../machine.js';
import { connectAgent, fetchText } from './agents.js';
import { openDeskPage } from './page.js';

const HELP = `npm run bench:desk -- [options]

  --minutes N        how long messages are sent; default 10
  --agents N         connected agents; default 50
  --conversations N  open conversations; default 2000, and the list takes 10000
  --rate N           messages per second over all conversations; default 100
  --quick            half a minute
  --help             prints this text

Prints the duration of interactions in a real browser (Chromium's Event Timing), whether every agent received every
event, and memory over time. It asserts nothing.`;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    agents: { type: 'string', default: '50' },
    conversations: { type: 'string', default: '2000' },
    rate: { type: 'string', default: '100' },
    quick: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit();
}
const seconds = (values.quick ? 0.5 : Number(values.minutes)) * 60;
const [agentCount, conversationCount, rate] = [values.agents, values.conversations, values.rate].map(Number);

const folder = mkdtempSync(join(tmpdir(), 'handoff-kit-bench-desk-'));
const server = fork(new URL('./server.js', import.meta.url), [join(folder, 'desk.db'), values.agents]);
/** @type {<Answer>(ask?: string) => Promise<Answer>} */
const askServer = (question) =>
  new Promise((resolve) => {
    server.once('message', (message) => resolve(/** @type {any} */ (message)));
    if (question) server.send(question);
  });
const memory = async () => {
  const answer = /** @type {{ memory: NodeJS.MemoryUsage }} */ (await askServer('memory'));
  return { rssMb: answer.memory.rss / 2 ** 20, heapMb: answer.memory.heapUsed / 2 ** 20 };
};

/** @param {number[]} sorted @param {number} share */
const quantile = (sorted, share) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

console.log(machine());
const warning = busyWarning();
if (warning) console.log(warning);

const { url } = /** @type {{ url: string }} */ (await askServer());
const postWebhook = async (/** @type {string} */ path, /** @type {unknown} */ json) => {
  const { status } = await fetchText(`${url}/webhook${path}`, { method: 'POST', json });
  if (status !== 200) throw new Error(`${path} was answered ${status}`);
};

const idOf = (/** @type {number} */ index) => `c-${index}`;
const openingAt = performance.now();
for (let index = 0; index < conversationCount; index += 20) {
  const batch = Array.from(
    { length: Math.min(20, conversationCount - index) },
    (_, offset) => index + offset,
  );
  await Promise.all(
    batch.map((each) =>
      postWebhook('/conversation/establish', {
        conversation_id: idOf(each),
        timestamp: Date.now(),
        body: [{ text: 'Where is my parcel?', message_type: 'QUESTION' }],
        user_info: { user_id: `customer-${each}` },
      }),
    ),
  );
}
console.log(
  `${conversationCount} conversations opened in ${((performance.now() - openingAt) / 1_000).toFixed(1)} s`,
);

const agents = [];
for (let index = 0; index < agentCount; index += 1)
  agents.push(await connectAgent(`${url}/desk`, `a${index}`));
const page = await openDeskPage(`${url}/desk`, agents[0]?.cookie ?? '');
if (!page) console.log('No browser was found: install Chromium or set CHROMIUM_PATH to measure the page.');
console.log(`${agentCount} agents connected; ${rate} messages per second for ${seconds} s`);

/** @type {number[]} */
const answerTimes = [];
let sent = 0;
let failed = 0;
let stopped = false;
const start = performance.now();
const sender = setInterval(() => {
  const due = Math.floor(((performance.now() - start) / 1_000) * rate);
  for (; sent < due; sent += 1) {
    const sentAt = performance.now();
    const conversation = idOf(Math.floor(Math.random() * conversationCount));
    postWebhook('/chat', {
      conversation_id: conversation,
      timestamp: Date.now(),
      body: `Message ${sent}`,
    }).then(
      () => answerTimes.push(performance.now() - sentAt),
      () => {
        failed += 1;
      },
    );
  }
}, 20);
const working = (async () => {
  while (!stopped && page) {
    await page.typeDraft();
    await sleep(1_000);
  }
})();

const every = Math.max(10, Math.round(seconds / 10));
for (let passed = 0; passed < seconds; passed += every) {
  await sleep(Math.min(every, seconds - passed) * 1_000);
  const { rssMb, heapMb } = await memory();
  const received = agents.map(({ events }) => events());
  const inPage = page ? await page.measure() : null;
  const slowest = inPage ? `, slowest interaction ${Math.max(0, ...inPage.durations).toFixed(0)} ms` : '';
  console.log(
    `${String(passed + every).padStart(5)} s  ${sent} sent, ${failed} failed, agents received ${Math.min(...received)} to ${Math.max(...received)} events, server ${rssMb.toFixed(0)} MB (heap ${heapMb.toFixed(0)})${inPage ? `, page ${inPage.heapMb.toFixed(0)} MB` : ''}${slowest}`,
  );
}
clearInterval(sender);
stopped = true;
await working;

// Agents may receive the last events late.
for (let waited = 0; waited < 60 && agents.some(({ events }) => events() < sent - failed); waited += 1)
  await sleep(500);
const sortedAnswers = answerTimes.toSorted((a, b) => a - b);
console.log(`
messages            ${sent} sent, ${failed} failed
answer to a message p50 ${quantile(sortedAnswers, 0.5).toFixed(1)} ms, p99 ${quantile(sortedAnswers, 0.99).toFixed(1)} ms
agents              each received at least ${Math.min(...agents.map(({ events }) => events()))} events`);
if (page) {
  const { presses, durations } = await page.measure();
  const sorted = durations.toSorted((a, b) => a - b);
  const slow = durations.filter((ms) => ms > 200).length;
  console.log(
    `interactions        ${presses} keys pressed; ${durations.length} took 16 ms or more: p50 ${quantile(sorted, 0.5)} ms, p98 ${quantile(sorted, 0.98)} ms, slowest ${quantile(sorted, 1)} ms; over 200 ms: ${slow}`,
  );
}
for (const each of agents) each.close();
await page?.close();
server.disconnect();
rmSync(folder, { recursive: true, force: true });
process.exit();
