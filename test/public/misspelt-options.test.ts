import { expect, it } from 'vitest';
import { createPlatformClient } from '../../src/public/client.js';
import { postgres } from '../../src/public/delivery/postgres.js';
import { sqlite } from '../../src/public/delivery/sqlite.js';
import { basic, createReceiver, inline, noAuth, webhookUser } from '../../src/public/index.js';

/** As a JavaScript program would call it, without types. */
const untyped = (options: object): never => options as never;

const AUTH = { message: noAuth(), handoff: noAuth() };
const PLATFORM = { baseUrl: 'https://api.example.com', apiKey: 'key' };

it.each<[string, () => unknown]>([
  [
    'webhookUser does not know the option secrets. Did you mean secret?',
    () => webhookUser(untyped({ username: 'acme', secrets: 's' })),
  ],
  [
    'basic does not know the option pasword. Did you mean password?',
    () => basic(untyped({ username: 'acme', pasword: 's' })),
  ],
  [
    'auth does not know the option mesage. Did you mean message?',
    () => createReceiver(untyped({ auth: { ...AUTH, mesage: false } })),
  ],
  [
    'paths of createReceiver does not know the option chat.',
    () => createReceiver({ auth: AUTH, paths: untyped({ chat: '/x' }) }),
  ],
  [
    'platform does not know the option timeout. Did you mean timeoutMs?',
    () => createReceiver({ auth: AUTH, platform: untyped({ ...PLATFORM, timeout: 5 }) }),
  ],
  [
    'platform does not know the option baseURL. Did you mean baseUrl?',
    () => createPlatformClient(untyped({ ...PLATFORM, baseURL: 'x' })),
  ],
  [
    'platform.retry does not know the option retrys. Did you mean retries?',
    () => createPlatformClient({ ...PLATFORM, retry: untyped({ retrys: 1 }) }),
  ],
  [
    'inline does not know the option ackDeadline. Did you mean ackDeadlineMs?',
    () => inline(untyped({ ackDeadline: 5 })),
  ],
  [
    'sqlite does not know the option leaseMS. Did you mean leaseMs?',
    () => sqlite(untyped({ file: 'x.db', leaseMS: 5 })),
  ],
  [
    'outbox of sqlite does not know the option giveUp.',
    () => sqlite({ file: 'x.db', outbox: untyped({ giveUp: 5 }) }),
  ],
  [
    'postgres does not know the option storeonly. Did you mean storeOnly?',
    () => postgres(untyped({ connectionString: 'postgres://x', storeonly: true })),
  ],
])('%s', (message, create) => {
  expect(create).toThrow(message);
});

it.each<[string, () => unknown]>([
  ['delivery must be one of', () => createReceiver({ auth: AUTH, delivery: untyped('sqlite' as never) })],
  ['greeting must be a text', () => createReceiver({ auth: AUTH, greeting: untyped({ text: 'Hello' }) })],
  ['sqlite() needs a file', () => (sqlite as () => unknown)()],
])('a value of another kind is refused at once: %s', (message, create) => {
  expect(create).toThrow(message);
});

it.each([
  [
    { conversation_id: 'c', text: 't' },
    'conversation_id: not a field of reply: did you mean conversationId?',
  ],
  [
    { conversationId: 'c', text: 't', timeStamp: 5 },
    'timeStamp: not a field of reply: did you mean timestamp?',
  ],
])('a reply with a misspelt field is not sent: %j', async (input, message) => {
  const client = createPlatformClient({ ...PLATFORM, fetch: () => Promise.reject(new Error('it was sent')) });
  await expect(client.reply(untyped(input))).rejects.toThrow(message);
});
