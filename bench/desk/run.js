// Measures the desk under load: agents who look on, open conversations, messages, and one agent in a real browser.
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { busyWarning, machine } from '../machine.js';
import { ask, connectAgent } from './agents.js';
import { workInPage } from './page.js';

const HELP = `npm run bench:desk -- [options]

  --seconds N        how long messages come; default 600
  --agents N         agents connected; default 50
  --conversations N  open conversations; default 2000
  --rate N           messages a second, all conversations together; default 100
  --quick            30 seconds
  --help             this

Prints how long interactions take in a real browser meanwhile (Chromium's own Event Timing), whether every agent got
every event, and how memory goes. Nothing is asserted.`;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '600' },
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
const seconds = values.quick ? 30 : Number(values.seconds);
const [agentCount, conversationCount, rate] = [values.agents, values.conversations, values.rate].map(Number);

const folder = mkdtempSync(join(tmpdir(), 'handoff-kit-bench-desk-'));
const server = fork(new URL('./server.js', import.meta.url), [join(folder, 'desk.db'), values.agents]);
/** @type {<Answer>(ask?: string) => Promise<Answer>} */
const told = (question) =>
  new Promise((resolve) => {
    server.once('message', (message) => resolve(/** @type {any} */ (message)));
    if (question) server.send(question);
  });
const memory = async () => {
  const answer = /** @type {{ memory: NodeJS.MemoryUsage }} */ (await told('memory'));
  return { rssMb: answer.memory.rss / 2 ** 20, heapMb: answer.memory.heapUsed / 2 ** 20 };
};

/** @param {number[]} sorted @param {number} share */
const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

console.log(machine());
const warning = busyWarning();
if (warning) console.log(warning);

const { url } = /** @type {{ url: string }} */ (await told());
const accepted = async (/** @type {string} */ path, /** @type {unknown} */ json) => {
  const { status } = await ask(`${url}/webhook${path}`, { method: 'POST', json });
  if (status !== 200) throw new Error(`${path} was answered ${status}`);
};

const idOf = (/** @type {number} */ index) => `c-${index}`;
const began = performance.now();
for (let index = 0; index < conversationCount; index += 20) {
  const some = Array.from({ length: Math.min(20, conversationCount - index) }, (_, offset) => index + offset);
  await Promise.all(
    some.map((each) =>
      accepted('/conversation/establish', {
        conversation_id: idOf(each),
        timestamp: Date.now(),
        body: [{ text: 'Where is my parcel?', message_type: 'QUESTION' }],
        user_info: { user_id: `customer-${each}` },
      }),
    ),
  );
}
console.log(
  `${conversationCount} conversations opened in ${((performance.now() - began) / 1_000).toFixed(1)} s`,
);

const agents = [];
for (let index = 0; index < agentCount; index += 1)
  agents.push(await connectAgent(`${url}/desk`, `a${index}`));
const page = await workInPage(`${url}/desk`, agents[0]?.cookie ?? '');
if (!page) console.log('No browser: apt-get install -y chromium, or set CHROMIUM_PATH, to measure the page.');
console.log(`${agentCount} agents connected; ${rate} messages a second for ${seconds} s`);

/** @type {number[]} */
const answers = [];
let sent = 0;
let failed = 0;
let stopped = false;
const start = performance.now();
const sender = setInterval(() => {
  const due = Math.floor(((performance.now() - start) / 1_000) * rate);
  for (; sent < due; sent += 1) {
    const sentAt = performance.now();
    const conversation = idOf(Math.floor(Math.random() * conversationCount));
    accepted('/chat', { conversation_id: conversation, timestamp: Date.now(), body: `Message ${sent}` }).then(
      () => answers.push(performance.now() - sentAt),
      () => {
        failed += 1;
      },
    );
  }
}, 20);
const working = (async () => {
  while (!stopped && page) {
    await page.work();
    await sleep(1_000);
  }
})();

const every = Math.max(10, Math.round(seconds / 10));
for (let passed = 0; passed < seconds; passed += every) {
  await sleep(Math.min(every, seconds - passed) * 1_000);
  const { rssMb, heapMb } = await memory();
  const seen = agents.map(({ events }) => events());
  const inPage = page ? await page.measured() : null;
  const slowest = inPage ? `, slowest interaction ${Math.max(0, ...inPage.durations).toFixed(0)} ms` : '';
  console.log(
    `${String(passed + every).padStart(5)} s  ${sent} sent, ${failed} failed, agents saw ${Math.min(...seen)} to ${Math.max(...seen)} events, server ${rssMb.toFixed(0)} MB (heap ${heapMb.toFixed(0)})${inPage ? `, page ${inPage.heapMb.toFixed(0)} MB` : ''}${slowest}`,
  );
}
clearInterval(sender);
stopped = true;
await working;

// What was taken in is brought to everybody, however late.
for (let waited = 0; waited < 60 && agents.some(({ events }) => events() < sent - failed); waited += 1)
  await sleep(500);
const sortedAnswers = answers.toSorted((a, b) => a - b);
console.log(`
messages            ${sent} sent, ${failed} failed
answer to a message p50 ${at(sortedAnswers, 0.5).toFixed(1)} ms, p99 ${at(sortedAnswers, 0.99).toFixed(1)} ms
agents              each saw at least ${Math.min(...agents.map(({ events }) => events()))} events`);
if (page) {
  const { presses, durations } = await page.measured();
  const sorted = durations.toSorted((a, b) => a - b);
  const slow = durations.filter((ms) => ms > 200).length;
  console.log(
    `interactions        ${presses} keys pressed; ${durations.length} took 16 ms or more: p50 ${at(sorted, 0.5)} ms, p98 ${at(sorted, 0.98)} ms, slowest ${at(sorted, 1)} ms; over 200 ms: ${slow}`,
  );
}
for (const each of agents) each.close();
await page?.close();
server.disconnect();
rmSync(folder, { recursive: true, force: true });
process.exit();
