import { describe, expect, it } from 'vitest';
import { zendesk } from '../../../src/adapters/zendesk/index.js';
import { CALL, routedTo, SESSION } from '../../fixtures/adapter-session.js';
import { AGENTS } from '../../fixtures/zendesk/fake-zendesk.js';
import { fakeSettings } from '../../fixtures/zendesk/harness.js';
import { setUp } from './support.js';

const REASON = { by: 'user', text: 'The user has left.' } as const;

describe('a conversation of Zendesk', () => {
  it('is with the agents before its first message, so that no bot answers', async () => {
    const { fake, open } = await setUp();
    const { externalId } = await open();
    const { active, messages } = fake.conversations.get(externalId) ?? {};
    expect(active).toBe(AGENTS);
    expect(messages?.map(({ author }) => author.type)).toEqual(['user']);
    expect(messages?.[0]?.content.text).toContain('Customer: Where is my parcel?');
  });

  it('is a new one for each handoff of the same user, and found by its session', async () => {
    const { fake, adapter, open } = await setUp();
    const [first, second] = [await open(), await open({ ...SESSION, key: 'session-2' })];
    expect(fake.users.size).toBe(1);
    expect(await adapter.find(SESSION, CALL)).toEqual({ externalId: first.externalId });
    expect(await adapter.find({ ...SESSION, key: 'session-2' }, CALL)).toEqual({
      externalId: second.externalId,
    });
    expect(await adapter.find({ ...SESSION, key: 'session-3' }, CALL)).toBeNull();
  });

  it('is found among more conversations of its user than a page has', async () => {
    const { adapter, open } = await setUp();
    for (let number = 1; number <= 101; number += 1) await open({ ...SESSION, key: `session-${number}` });
    expect(await adapter.find({ ...SESSION, key: 'session-101' }, CALL)).not.toBeNull();
  });

  it('fills in the ticket with its route', async () => {
    const { fake, open } = await setUp();
    const { externalId } = await open(routedTo('360001'));
    expect(fake.conversations.get(externalId)?.ticket).toEqual({
      'dataCapture.systemField.tags': 'premium,late_parcel,department_360001',
      'dataCapture.systemField.priority': 'high',
    });
  });

  it('has a user for an id that is too long', async () => {
    const { fake, open } = await setUp();
    await open({ ...SESSION, user: { ...SESSION.user, key: `user:${'x'.repeat(300)}` } });
    expect([...fake.users][0]?.length).toBeLessThan(128);
  });

  it('is released with the reason, once', async () => {
    const { fake, adapter, open } = await setUp();
    const ref = await open();
    await adapter.close(ref, REASON, CALL);
    await adapter.close(ref, REASON, CALL);
    const { active, messages } = fake.conversations.get(ref.externalId) ?? {};
    expect(active).toBeNull();
    expect(messages?.filter(({ content }) => content.text === REASON.text)).toMatchObject([
      { author: { type: 'business' } },
    ]);
  });

  it('is told of the end once, although the release is refused at first', async () => {
    const { fake, proxy, adapter, open } = await setUp();
    const ref = await open();
    proxy.answer({ status: 400 }, { match: ({ path }) => path.includes('releaseControl') });
    await expect(adapter.close(ref, REASON, CALL)).rejects.toMatchObject({ kind: 'invalid' });
    await adapter.close(ref, REASON, CALL);
    const { active, messages = [] } = fake.conversations.get(ref.externalId) ?? {};
    expect(active).toBeNull();
    expect(messages.filter(({ content }) => content.text === REASON.text)).toHaveLength(1);
  });

  it('shows agents which of their replies did not reach the user, also once it is released', async () => {
    const { fake, adapter, open } = await setUp();
    const ref = await open();
    const tell = (text: string) =>
      adapter.undelivered?.(ref, { messageId: null, text }, { kind: 'ended', text: 'It ended.' }, CALL);
    await tell('Wait!');
    fake.agent.solve(ref.externalId);
    await tell('x'.repeat(5_000));
    const { active, messages = [] } = fake.conversations.get(ref.externalId) ?? {};
    expect(messages.slice(1)).toMatchObject([
      { author: { type: 'business' }, content: { text: expect.stringContaining('"Wait!"') } },
      { author: { type: 'business' }, content: { text: expect.stringContaining('did not reach') } },
    ]);
    expect(active).toBeNull();
    // Nobody but the agents sees it.
    expect(await adapter.catchUp?.(ref, new Date(0), CALL)).not.toContainEqual(
      expect.objectContaining({ kind: 'message', author: { kind: 'agent', name: 'handoff-kit' } }),
    );
  });

  it('needs no close when it was deleted or passed on', async () => {
    const { fake, adapter, open } = await setUp();
    const ref = await open();
    fake.agent.passToBot(ref.externalId);
    await adapter.close(ref, REASON, CALL);
    expect(fake.conversations.get(ref.externalId)?.messages).toHaveLength(1);
    fake.conversations.clear();
    await adapter.close(ref, REASON, CALL);
    const sent = adapter.send(ref, { key: 'k', text: 'Hello?', sentAt: null }, CALL);
    await expect(sent).rejects.toMatchObject({ kind: 'gone' });
  });
});

describe('check', () => {
  it('names the app and the integration of the agents', async () => {
    const { adapter } = await setUp();
    expect(await adapter.check(CALL)).toMatchObject([
      { name: 'app', ok: true, detail: 'The key is for the app Example.' },
      { name: 'switchboard', ok: true, detail: 'Agents answer in zd-agentWorkspace.' },
      { name: 'webhook secret', ok: true },
      { name: 'ticket secret', ok: true, detail: 'Not set. Solving a ticket does not end the handoff.' },
    ]);
  });

  it('names what is wrong', async () => {
    const { fake, proxy, adapter } = await setUp();
    const other = zendesk({ ...fakeSettings(fake.url), agentIntegration: 'desk' });
    expect((await other.check(CALL)).filter(({ ok }) => !ok)).toMatchObject([
      { name: 'switchboard', detail: expect.stringContaining('it has zd-agentWorkspace, zd-answerBot') },
    ]);
    for (const answer of [{ status: 401 }, { status: 404 }, { status: 200, body: '<html>' }]) {
      proxy.answer(answer);
      expect((await adapter.check(CALL)).filter(({ ok }) => !ok)).toMatchObject([
        { name: 'app', detail: expect.stringContaining('ZENDESK_API_URL') },
      ]);
    }
  });
});

describe('settings', () => {
  it.each([
    [{ appId: 'a/b' }, /appId/],
    [{ keyId: '' }, /keyId/],
    [{ keySecret: 'two words' }, /keySecret/],
    [{ webhookSecret: ['a', ' '] }, /webhookSecret/],
    [{ ticketWebhookSecret: '' }, /ticketWebhookSecret/],
    [{ agentIntegration: 'zd agents' }, /agentIntegration/],
    [{ apiUrl: 'example' }, /address must be a URL/],
  ])('are checked: %j', (wrong, message) => {
    expect(() => zendesk({ ...fakeSettings('https://example.zendesk.com/sc'), ...wrong })).toThrow(message);
  });
});
