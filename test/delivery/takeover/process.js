// One of several processes on a database. It says what it does, one line each, and is killed by the test.
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    url: { type: 'string', default: '' },
    schema: { type: 'string', default: '' },
    service: { type: 'string', default: '' },
    accept: { type: 'string', multiple: true, default: [] },
    reply: { type: 'string', multiple: true, default: [] },
    hang: { type: 'boolean', default: false },
    unknown: { type: 'string', default: 'resend' },
  },
});

const from = (/** @type {string} */ file) => import(new URL(`../../dist/${file}`, import.meta.url).href);
const { postgres } = await from('delivery/postgres/index.js');
const { createServiceClient, silentLog } = {
  ...(await from('index.js')),
  ...(await from('logging/index.js')),
};

const say = (/** @type {string} */ text) => process.stdout.write(`${text}\n`);

const delivery = postgres({
  connectionString: values.url,
  schema: values.schema,
  leaseMs: 1_000,
  pollMs: 100,
  outbox: { whenUnknown: values.unknown, minDelayMs: 10, maxDelayMs: 20 },
});
const client = createServiceClient({ baseUrl: values.service, apiKey: 'key', retry: false });
const replies = delivery.createReplies(client);
delivery.start({
  handle: async (/** @type {{ key: string }} */ { key }, /** @type {{ attempt: number }} */ { attempt }) => {
    say(`handles ${key} attempt ${attempt}`);
    if (values.hang) await new Promise(() => {});
  },
  greet: async () => {},
  report: (/** @type {{ code?: string }} */ error) => say(`reports ${error.code}`),
  log: silentLog,
});

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
