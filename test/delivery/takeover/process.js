// One of several processes on a database. It prints what it does, one line each. The test sends it signals: SIGUSR2
// lets its handlers go on, SIGHUP stops it.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: '' },
    options: { type: 'string', default: '{}' },
    platform: { type: 'string', default: 'http://127.0.0.1:2' },
    accept: { type: 'string', multiple: true, default: [] },
    reply: { type: 'string', multiple: true, default: [] },
    wait: { type: 'boolean', default: false },
    answer: { type: 'boolean', default: false },
    unknown: { type: 'string', default: 'resend' },
    // Each event has its own conversation, and its handler takes this many milliseconds.
    take: { type: 'string' },
    // The event whose handler kills the process.
    poison: { type: 'string' },
  },
});

const from = (/** @type {string} */ file) => import(new URL(`../../../dist/${file}`, import.meta.url).href);
const engine = await from(`delivery/${values.engine}/index.js`);
const { createReceiver, noAuth } = await from('public/index.js');

const say = (/** @type {string} */ text) => process.stdout.write(`${text}\n`);

const delivery = engine[values.engine]({
  ...JSON.parse(values.options),
  outbox: { whenUnknown: values.unknown, minDelayMs: 10, maxDelayMs: 20 },
});
/** @type {import('../../../src/public/index.js').Receiver} */
const receiver = createReceiver({
  auth: { message: false, handoff: noAuth() },
  platform: { baseUrl: values.platform, apiKey: 'key', retry: false },
  delivery,
  log: false,
});
/** @param {string} what @param {Promise<unknown>} action */
const tried = (what, action) =>
  action.then(
    () => say(`${what} stored`),
    ({ code }) => say(`${what} ${code}`),
  );
receiver.on('handoff.requested', () => {});
receiver.on(
  'handoff.message',
  async ({ conversationId, conversation, text, attempt, reply, end, signal }) => {
    // Listens before it prints: the signal may follow at once, and would end a process that does not listen.
    const released = values.wait ? once(process, 'SIGUSR2') : undefined;
    say(`handles ${text} attempt ${attempt}`);
    if (text === values.poison) process.kill(process.pid, 'SIGKILL');
    await (values.take ? sleep(Number(values.take)) : released);
    if (values.answer) {
      if (text.endsWith('last')) await tried(`end of ${conversationId}`, end());
      else await tried(`reply to ${text}`, reply(`${text} attempt ${attempt}`));
      if (signal.aborted) say(`aborted ${text}`);
    }
    say(`finished ${text} ${(await conversation())?.state}`);
  },
);
receiver.onError(({ error }) => say(`reports ${/** @type {{ code?: string }} */ (error).code}`));
const stop = async () => {
  const { unfinished } = await receiver.close({ timeoutMs: 5_000 });
  say(`stopped with ${unfinished} unfinished`);
  process.exit();
};
process.on('SIGHUP', () => void stop());
await receiver.start();

let received = 0;
/** @param {string} name @param {string} conversationId @param {string} key @param {object} rest */
const accept = async (name, conversationId, key, rest) => {
  received += 1;
  const body = { conversation_id: conversationId, timestamp: received, ...rest };
  const event = { name, bot: 'default', key, conversationId, body, receivedAt: received, requestId: key };
  say(`${await delivery.accept(event)} ${key}`);
};
const user = { phone: null, email: null, user_id: null, anonymous_id: null };
const requested = { email: null, bot_id: null, body: [], user_info: user };
for (const item of values.accept) {
  // `request:c`, or the text of a message, to the conversation `c` or to the one before the colon.
  const [conversationId = '', key] = item.includes(':') ? item.split(':') : [values.take ? item : 'c', item];
  if (conversationId === 'request') await accept('handoff.requested', key ?? '', item, requested);
  else await accept('handoff.message', conversationId, item, { body: item });
}
for (const text of values.reply) {
  await receiver.conversations.reply('c', text);
  say(`stored reply ${text}`);
}
say('ready');

if (values.take) {
  while ((await delivery.queues.depth('inbox')).waiting > 0) await sleep(50);
  for (const { conversationId, error } of await delivery.queues.list('inbox', { state: 'dead' }))
    say(`dead ${conversationId}: ${error}`);
  say('drained');
}
