import sunshine from 'sunshine-conversations-client';
import { expect, it } from 'vitest';
import type { InboundEvent } from '../../../src/bridge/index.js';
import { CALL, SESSION } from '../../fixtures/adapter-session.js';
import { FAKE_APP, FAKE_KEY_ID, FAKE_KEY_SECRET } from '../../fixtures/zendesk/fake-zendesk.js';
import { setUp } from './support.js';

const EARLIER = new Date(0);

/** The texts of agents. */
const repliesIn = (events: readonly InboundEvent[] = []): string[] =>
  events.flatMap((event) => (event.kind === 'message' && event.author.kind === 'agent' ? [event.text] : []));

it('lists replies of all pages in order, with the requests of the own client', async () => {
  const { fake, adapter, open } = await setUp();
  const ref = await open();
  const texts = Array.from({ length: 250 }, (_value, index) => `Reply ${index}`);
  for (const text of texts) fake.agent.reply(ref.externalId, text);
  const before = fake.requests.length;
  expect(repliesIn(await adapter.catchUp?.(ref, EARLIER, CALL))).toEqual(texts);
  const queries = (from: number) =>
    fake.requests
      .slice(from)
      .filter(({ path }) => path.endsWith('/messages'))
      .map(({ query }) => Object.fromEntries(query));
  const ours = queries(before);
  expect(ours).toEqual([{}, { 'page[before]': expect.any(String) }, { 'page[before]': expect.any(String) }]);

  const { instance } = sunshine.ApiClient;
  instance.basePath = fake.url;
  instance.authentications.basicAuth.username = FAKE_KEY_ID;
  instance.authentications.basicAuth.password = FAKE_KEY_SECRET;
  const api = new sunshine.MessagesApi();
  const between = fake.requests.length;
  let { meta } = await api.listMessages(FAKE_APP, ref.externalId, {});
  while (meta.hasMore)
    ({ meta } = await api.listMessages(FAKE_APP, ref.externalId, { page: { before: meta.beforeCursor } }));
  expect(queries(between)).toEqual(ours);
});

it('reads no pages before the time, and lists nothing of them', async () => {
  const { fake, adapter, open } = await setUp();
  const ref = await open();
  const add = (text: string, received: Date) => {
    fake.agent.reply(ref.externalId, text);
    const messages = fake.conversations.get(ref.externalId)?.messages ?? [];
    const last = messages.pop();
    if (last) messages.push({ ...last, received: received.toISOString() });
  };
  const since = new Date(Date.now() + 60_000);
  for (let count = 0; count < 150; count += 1) add('earlier', new Date(since.getTime() - 1));
  add('at that time', since);
  add('later', new Date(since.getTime() + 1));
  const before = fake.requests.length;
  expect(repliesIn(await adapter.catchUp?.(ref, since, CALL))).toEqual(['at that time', 'later']);
  expect(fake.requests.slice(before).map(({ path }) => path.replace(/.*\//, ''))).toEqual([
    ref.externalId,
    'messages',
  ]);
});

it.each([
  ['released', 'solve'],
  ['passed to another integration', 'passToBot'],
] as const)('lists the close of a conversation that was %s, after its replies', async (_what, action) => {
  const { fake, adapter, open } = await setUp();
  const ref = await open();
  fake.agent.reply(ref.externalId, 'Good bye.');
  expect(await adapter.catchUp?.(ref, SESSION.requestedAt, CALL)).not.toContainEqual(
    expect.objectContaining({ kind: 'closed' }),
  );
  fake.agent[action](ref.externalId);
  const events = (await adapter.catchUp?.(ref, SESSION.requestedAt, CALL)) ?? [];
  expect(events.slice(-2)).toMatchObject([
    { kind: 'message', text: 'Good bye.', author: { kind: 'agent', name: 'Ada' } },
    { kind: 'closed', author: { kind: 'agent' } },
  ]);
});

it('lists bots as no agents', async () => {
  const { fake, adapter, open } = await setUp();
  const ref = await open();
  fake.agent.botReply(ref.externalId, 'I am a bot.');
  const events = await adapter.catchUp?.(ref, EARLIER, CALL);
  expect(events).toContainEqual(
    expect.objectContaining({ text: 'I am a bot.', author: { kind: 'system', name: 'Answer Bot' } }),
  );
  expect(repliesIn(events)).toEqual([]);
});
