import { expect, it } from 'vitest';
import { CALL } from '../../fixtures/adapter-session.js';
import { setUp } from './support.js';

const EARLIER = new Date(0);

it('lists what was written, in order, and that the chat is closed', async () => {
  const { fake, adapter, open } = await setUp();
  const ref = await open();
  const { externalId } = ref;
  fake.agent.reply(externalId, 'Good morning.');
  fake.agent.whisper(externalId, 'Difficult.');
  fake.agent.botReply(externalId, 'I am a bot.');
  fake.agent.sendFile(externalId, { name: 'a.pdf', url: 'https://a.test/a.pdf', content_type: 'text/pdf' });
  const listed = await adapter.catchUp?.(ref, EARLIER, CALL);
  expect(listed).toMatchObject([
    { author: { kind: 'self' } },
    { text: 'Good morning.', author: { kind: 'agent' }, internal: false },
    { text: 'Difficult.', internal: true },
    { text: 'I am a bot.', author: { kind: 'system' } },
    { attachments: [{ name: 'a.pdf' }], author: { kind: 'agent' } },
  ]);
  fake.agent.close(externalId);
  const threadId = fake.chatOf(externalId).threadId;
  expect(await adapter.catchUp?.(ref, EARLIER, CALL)).toEqual([
    ...(listed ?? []),
    { kind: 'closed', id: `deactivated ${threadId}`, externalId, author: { kind: 'agent', name: null } },
  ]);
});

it('lists nothing from before the time', async () => {
  const { fake, adapter, open } = await setUp();
  const ref = await open();
  fake.agent.reply(ref.externalId, 'earlier');
  fake.agent.reply(ref.externalId, 'later');
  const events = fake.chatOf(ref.externalId).events;
  const since = new Date(Date.now() + 60_000);
  for (const event of events.slice(-1)) Object.assign(event, { created_at: since.toISOString() });
  expect(await adapter.catchUp?.(ref, since, CALL)).toMatchObject([{ text: 'later' }]);
});
