import { describe, expect, it } from 'vitest';
import { hasButton, markupTags, visibleText } from '../../fixtures/slack/visible-text.js';
import { IDS } from '../../fixtures/slack/workspace.js';
import { call, errorOf, newSession, withFake } from './support.js';

describe('an opened conversation', () => {
  it('is a message with the user, the transcript and a button', async () => {
    const { fake, adapter } = await withFake({}, { teamUrl: 'https://example.slack.com/' });
    const session = newSession({
      user: { key: 'user:ada', userId: 'ada', anonymousId: 'x', email: 'ada@example.com', phone: '+123' },
    });
    const { externalId, url } = await adapter.open(session, call);
    const [root, ...more] = fake.workspace.messages;
    expect(more).toEqual([]);
    if (!root) throw new Error('no message');
    expect(externalId).toBe(`${IDS.channel}:${root.ts}`);
    expect(url).toBe(`https://example.slack.com/archives/${IDS.channel}/p${root.ts.replace('.', '')}`);
    expect(root.text).toBe('A customer asks for a human: Where is my parcel?');
    expect(hasButton(root)).toBe(true);
    for (const words of ['ada', 'ada@example.com', '+123', session.conversationId])
      expect(visibleText(root)).toContain(words);
    expect(visibleText(root)).toContain('Customer: Where is my parcel?\n\nAI: I do not know.');
    expect(visibleText(root)).toContain('`!close`');
  });

  it('shows the route', async () => {
    const { fake, adapter } = await withFake();
    await adapter.open(
      newSession({ route: { tags: ['a', '<b>'], priority: 'urgent', department: 'Sales' } }),
      call,
    );
    const [root] = fake.workspace.messages;
    if (!root) throw new Error('no message');
    expect(visibleText(root)).toContain('Department: Sales\nPriority: urgent\nTags: a, <b>');
  });

  it('has no link when teamUrl is not set', async () => {
    const { adapter } = await withFake();
    expect(await adapter.open(newSession(), call)).toEqual({ externalId: expect.any(String) });
  });

  it('can have an empty transcript', async () => {
    const { fake, adapter } = await withFake();
    await adapter.open(newSession({ transcript: [{ from: 'bot', text: '' }] }), call);
    expect(fake.workspace.messages).toMatchObject([{ text: 'A customer asks for a human.' }]);
  });

  it.each([
    ['mentions', '<!channel> <!here> <@U0ANN> <!subteam^S1> @channel @here'],
    ['a forged link', '<https://evil.example|your bank>'],
    ['characters that need escapes', '&&&<<<>>>'.repeat(2_000)],
    ['half a surrogate pair', 'a \ud83d b'],
  ])('shows %s literally', async (_, text) => {
    const { fake, adapter } = await withFake();
    const user = { key: 'k', userId: text, anonymousId: null, email: text, phone: text };
    await adapter.open(
      newSession({ conversationId: text, user, transcript: [{ from: 'user', text }] }),
      call,
    );
    expect(fake.workspace.messages.length).toBeGreaterThan(0);
    for (const message of fake.workspace.messages) expect(markupTags(message)).toEqual([]);
  });

  it('shows all of a transcript as long as the bridge gives it, whatever its characters', async () => {
    const { fake, adapter } = await withFake();
    const text = 'a&b '.repeat(450);
    await adapter.open(newSession({ transcript: [{ from: 'user', text }] }), call);
    const [root, ...more] = fake.workspace.messages;
    expect(more).toEqual([]);
    expect(root && visibleText(root).replaceAll('\n', '')).toContain(text.trim());
  });

  it('notifies agents of the last question, also if it is in the rest of a long transcript', async () => {
    const { fake, adapter } = await withFake();
    const later = [{ from: 'user' as const, text: 'May I speak to a human?' }];
    await adapter.open(newSession({ later }), call);
    expect(fake.workspace.messages[0]?.text).toContain('May I speak to a human?');
  });
});

describe('a conversation whose open response was lost', () => {
  it('is found', async () => {
    const { fake, adapter } = await withFake();
    const session = newSession();
    fake.fail('chat.postMessage', { kind: 'lost' });
    expect(await errorOf(adapter.open(session, call))).toMatchObject({ kind: 'transient' });
    const found = await adapter.find(session, call);
    expect(found?.externalId).toBe(`${IDS.channel}:${fake.workspace.messages[0]?.ts}`);
    expect(fake.workspace.messages).toHaveLength(1);
  });

  it('is not mistaken for another', async () => {
    const { adapter } = await withFake();
    await adapter.open(newSession(), call);
    expect(await adapter.find(newSession(), call)).toBeNull();
  });

  it('is found by its button when Slack returns no metadata', async () => {
    const { fake, adapter } = await withFake();
    const session = newSession();
    const opened = await adapter.open(session, call);
    const [root] = fake.workspace.messages;
    if (root) delete root.metadata;
    expect(await adapter.find(session, call)).toEqual(opened);
  });

  it('is found among many messages, page by page', async () => {
    const { fake, adapter } = await withFake();
    const session = newSession();
    const opened = await adapter.open(session, call);
    for (let at = 0; at < 40; at += 1) fake.workspace.add({ user: IDS.agent, text: `chatter ${at}` });
    expect(await adapter.find(session, call)).toEqual(opened);
    expect(fake.calls.filter(({ method }) => method === 'conversations.history')).toHaveLength(3);
  });

  it('is searched for on a limited number of pages', async () => {
    const { fake, adapter } = await withFake();
    for (let at = 0; at < 400; at += 1) fake.workspace.add({ user: IDS.agent, text: `chatter ${at}` });
    expect(await adapter.find(newSession(), call)).toBeNull();
    expect(fake.calls).toHaveLength(20);
  });

  it('is not searched for among older messages', async () => {
    const { adapter } = await withFake();
    const session = newSession();
    await adapter.open(session, call);
    const later = { ...session, requestedAt: new Date(Date.now() + 3_600_000) };
    expect(await adapter.find(later, call)).toBeNull();
  });
});
