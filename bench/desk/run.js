// Measures the desk under load: connected agents, open conversations, messages, and one agent in a real browser.
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { busyWarning, machine } from '../machine.js';
import { connectAgent, fetchText } from './agents.js';
import { openDeskPage } from './page.js';
import { interactionTable, memoryTable, quantile } from './report.js';

const HELP = `npm run bench:desk -- [options]

  --minutes N        how long messages are sent; default 1
  --agents N         connected agents; default 50
  --conversations N  open conversations; default 2000
  --rate N           messages per second over all conversations; default 100
  --list N           conversations in the list, measured at the end; default 10000
  --write            replaces bench/DESK.md
  --help             prints this text

Prints how long interactions take in a real browser, whether every agent received every event, and memory at the start,
in the middle and at the end. It asserts nothing.`;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    agents: { type: 'string', default: '50' },
    conversations: { type: 'string', default: '2000' },
    rate: { type: 'string', default: '100' },
    list: { type: 'string', default: '10000' },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit();
}
const [minutes = 1, agentCount = 50, conversationCount = 2_000, rate = 100, listCount = 10_000] = [
  values.minutes,
  values.agents,
  values.conversations,
  values.rate,
  values.list,
].map(Number);
const seconds = minutes * 60;

const warning = busyWarning();
console.log([machine(), warning].filter(Boolean).join('\n'));

const folder = mkdtempSync(join(tmpdir(), 'handoff-kit-bench-desk-'));
const server = fork(new URL('./server.js', import.meta.url), [join(folder, 'desk.db'), values.agents], {
  execArgv: ['--expose-gc'],
});
/** @type {<Answer>(ask?: string) => Promise<Answer>} */
const askServer = (question) =>
  new Promise((resolve) => {
    server.once('message', (message) => resolve(/** @type {any} */ (message)));
    if (question) server.send(question);
  });
const { url } = /** @type {{ url: string }} */ (await askServer());
const postWebhook = async (/** @type {string} */ path, /** @type {unknown} */ json) => {
  const { status } = await fetchText(`${url}/webhook${path}`, { method: 'POST', json });
  if (status !== 200) throw new Error(`${path} was answered ${status}`);
};

const idOf = (/** @type {number} */ index) => `c-${index}`;
/** Opens conversations, fifty at a time. @param {number} from @param {number} to */
async function openConversations(from, to) {
  for (let index = from; index < to; index += 50) {
    const batch = Array.from({ length: Math.min(50, to - index) }, (_, offset) => index + offset);
    const open = (/** @type {number} */ each) =>
      postWebhook('/conversation/establish', {
        conversation_id: idOf(each),
        timestamp: Date.now(),
        body: [{ text: 'Where is my parcel?', message_type: 'QUESTION' }],
        user_info: { user_id: `customer-${each}` },
      });
    await Promise.all(batch.map(open));
  }
}

await openConversations(0, conversationCount);
/** @type {any[]} */
const agents = [];
for (let index = 0; index < agentCount; index += 1)
  agents.push(await connectAgent(`${url}/desk`, `a${index}`));
const page = await openDeskPage(`${url}/desk`, agents[0]?.cookie ?? '');
if (!page) throw new Error('No browser was found: install Chromium or set CHROMIUM_PATH.');
const loadMs = await page.load();
console.log(
  `${agentCount} agents, ${conversationCount} conversations; ${rate} messages a second for ${seconds} s`,
);

/** @type {number[]} */
const answerTimes = [];
let sent = 0;
let failed = 0;
function startMessages() {
  const start = performance.now();
  const before = sent;
  return setInterval(() => {
    const due = before + Math.floor(((performance.now() - start) / 1_000) * rate);
    for (; sent < due; sent += 1) {
      const sentAt = performance.now();
      const conversation_id = idOf(Math.floor(Math.random() * conversationCount));
      postWebhook('/chat', { conversation_id, timestamp: Date.now(), body: `Message ${sent}` }).then(
        () => answerTimes.push(performance.now() - sentAt),
        () => {
          failed += 1;
        },
      );
    }
  }, 20);
}

const measureMemory = async (/** @type {string} */ when) => {
  const { memory } = /** @type {{ memory: NodeJS.MemoryUsage }} */ (await askServer('memory'));
  const pageMb = await page.heapMb();
  const line = { when, pageMb, heapMb: memory.heapUsed / 2 ** 20, rssMb: memory.rss / 2 ** 20 };
  console.log(memoryTable([line]).split('\n').at(-1));
  return line;
};
const workUntil = async (/** @type {number} */ end) => {
  while (performance.now() < end) await page.work();
};

// Once without measuring: everything is compiled and loaded.
await page.work();
await page.takeInteractions();
const start = performance.now();
const messages = startMessages();
const memory = [await measureMemory('start')];
await workUntil(start + (seconds * 1_000) / 2);
memory.push(await measureMemory('middle'));
await workUntil(start + seconds * 1_000);
clearInterval(messages);
const loaded = await page.takeInteractions();

// Agents may receive the last events late.
const leastEvents = () => Math.min(...agents.map(({ events }) => events()));
for (let waited = 0; waited < 60 && leastEvents() < sent - failed; waited += 1) await sleep(500);
memory.push(await measureMemory('end'));
console.log(interactionTable(loaded.interactions));

await openConversations(conversationCount, listCount);
const listLoadMs = await page.load();
await page.work();
await page.takeInteractions();
const again = startMessages();
await workUntil(performance.now() + 30_000);
clearInterval(again);
const listed = await page.takeInteractions();

const answers = answerTimes.toSorted((a, b) => a - b);
const slowestTask = (/** @type {{ longTasks: number[] }} */ { longTasks }) =>
  `${longTasks.length} tasks in the page took more than 50 ms, the longest ${Math.max(0, ...longTasks).toFixed(0)} ms.`;
const report = `Measured with \`npm run bench:desk -- --minutes ${minutes}\`: ${machine()}.${warning ? ` ${warning}` : ''}
Server, load and browser share the machine.

## ${agentCount} agents, ${conversationCount} open conversations, ${rate} messages a second, ${minutes} min

${interactionTable(loaded.interactions)}

${slowestTask(loaded)} The list was on screen ${loadMs.toFixed(0)} ms after a reload.

${memoryTable(memory)}

${sent} messages were sent, ${failed} failed; answered after ${quantile(answers, 0.5).toFixed(0)} ms (p50) and ${quantile(answers, 0.99).toFixed(0)} ms (p99). Every agent received at
least ${leastEvents()} events.

## ${listCount} conversations in the list, with the same messages

${interactionTable(listed.interactions)}

${slowestTask(listed)} The list was on screen ${listLoadMs.toFixed(0)} ms after a reload.
`;
console.log(`\n${report}`);
const INTRODUCTION = '# The desk under load\n\n';
if (values.write) writeFileSync(new URL('../DESK.md', import.meta.url), INTRODUCTION + report);
for (const each of agents) each.close();
await page.close();
server.disconnect();
rmSync(folder, { recursive: true, force: true });
process.exit();
