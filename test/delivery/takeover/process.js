// One of several processes on a database. It prints what it does, one line each. The test sends it signals: SIGUSR2
// lets its handlers finish, SIGHUP stops it.
import { once } from 'node:events';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: '' },
    options: { type: 'string', default: '{}' },
    service: { type: 'string', default: 'http://127.0.0.1:1' },
    accept: { type: 'string', multiple: true, default: [] },
    reply: { type: 'string', multiple: true, default: [] },
    wait: { type: 'boolean', default: false },
    unknown: { type: 'string', default: 'resend' },
  },
});

const from = (/** @type {string} */ file) => import(new URL(`../../../dist/${file}`, import.meta.url).href);
const engine = await from(`delivery/${values.engine}/index.js`);
const { createServiceClient } = await from('index.js');
const { silentLog } = await from('internal/index.js');

const say = (/** @type {string} */ text) => process.stdout.write(`${text}\n`);

const delivery = engine[values.engine]({
  ...JSON.parse(values.options),
  outbox: { whenUnknown: values.unknown, minDelayMs: 10, maxDelayMs: 20 },
});
const client = createServiceClient({ baseUrl: values.service, apiKey: 'key', retry: false });
const replies = delivery.createReplies(client);
delivery.connect({
  handles: () => true,
  handle: async (/** @type {{ key: string }} */ { key }, /** @type {{ attempt: number }} */ { attempt }) => {
    // The test may send the signal as soon as it reads the line.
    const allowed = values.wait ? once(process, 'SIGUSR2') : undefined;
    say(`handles ${key} attempt ${attempt}`);
    await allowed;
    say(`finished ${key}`);
  },
  greet: async () => {},
  report: (/** @type {{ code?: string }} */ error) => say(`reports ${error.code}`),
  log: silentLog,
});
const stop = async () => {
  const { unfinished } = await delivery.stop({ timeoutMs: 5_000 });
  say(`stopped with ${unfinished} unfinished`);
  process.exit();
};
process.on('SIGHUP', () => void stop());
await delivery.start();

for (const key of values.accept) {
  const body = { conversation_id: 'c', timestamp: 1, body: key };
  const event = { name: 'handoff.message', key, conversationId: 'c', body, receivedAt: 1, requestId: key };
  say(`${await delivery.accept(event)} ${key}`);
}
for (const text of values.reply) {
  await replies.reply('c', text);
  say(`stored reply ${text}`);
}
say('ready');
