import { describe, expect, it } from 'vitest';
import { FAKE_HMAC_TOKEN } from '../../fixtures/chatwoot/fake-chatwoot.js';
import { call, failureOf, session, startChatwoot } from './support.js';

describe('open', () => {
  it('creates a contact, a conversation and its first message', async () => {
    const { adapter, account, url, proxy } = await startChatwoot();
    const opened = await adapter.open(session('u1'), call);

    const [conversation] = account.conversations();
    expect(account.conversations()).toHaveLength(1);
    expect(opened).toEqual({
      externalId: '1',
      url: `${proxy.url}/app/accounts/7/conversations/1`,
      extra: { contact: conversation?.session.sourceId },
    });
    expect(url).not.toBe(proxy.url);
    expect(conversation?.customAttributes).toEqual({
      handoff_conversation_id: 'handoff of u1',
      handoff_bot_id: 'bot-1',
      handoff_user_id: 'u1',
      handoff_email: 'support@example.com',
    });
    expect(conversation?.messages.map(({ content }) => content)).toEqual([
      [
        '[handoff] This user asks for a human.',
        'User: u1',
        'E-mail: support@example.com',
        'Bot: bot-1',
        '',
        'Said before:',
        '',
        'Customer: Where is my parcel?',
        '',
        'AI: I do not know.',
      ].join('\n'),
    ]);
  });

  it('writes the route to attributes, for automation rules', async () => {
    const { adapter, account } = await startChatwoot();
    const route = { tags: ['premium', 'late parcel'], priority: 'high', department: 'Shipping' } as const;
    await adapter.open(session('u1', { route }), call);
    expect(account.conversations()[0]?.customAttributes).toMatchObject({
      handoff_tags: 'premium, late parcel',
      handoff_priority: 'high',
      handoff_department: 'Shipping',
    });
  });

  it('posts a first message even without a transcript', async () => {
    const { adapter, account } = await startChatwoot();
    const unknownUser = { key: 'conversation:c1', userId: null, anonymousId: null, email: null, phone: null };
    await adapter.open(session('c1', { user: unknownUser, botId: null, transcript: [] }), call);
    expect(account.conversations()[0]?.messages[0]?.content).toBe('[handoff] This user asks for a human.');
    expect(account.contacts[0]?.name).toBe('Visitor');
  });

  it('limits a long transcript to what Chatwoot and its webhook can carry', async () => {
    const { adapter, account } = await startChatwoot();
    const transcript = Array.from({ length: 400 }, (_, index) => ({
      from: 'user' as const,
      text: `${index}: ${'長'.repeat(1000)}`,
    }));
    await adapter.open(session('u1', { transcript }), call);
    const content = account.conversations()[0]?.messages[0]?.content ?? '';
    expect(content.length).toBeLessThanOrEqual(50_000);
    expect(content).toContain('earlier messages were left out');
    expect(content).toContain('399: ');
  });

  it('truncates attributes that are too long for Chatwoot', async () => {
    const { adapter, account } = await startChatwoot();
    const { user } = session('u1');
    await adapter.open(session('u1', { user: { ...user, userId: 'x'.repeat(5000) } }), call);
    expect(account.conversations()[0]?.customAttributes.handoff_user_id).toBe('x'.repeat(1500));
  });

  it('accepts user ids that are longer than an identifier of Chatwoot', async () => {
    const { adapter, account } = await startChatwoot({ hmacMandatory: true }, { hmacToken: FAKE_HMAC_TOKEN });
    const openFor = async (key: string, userId: string) => {
      const user = { ...session('u').user, key: `user:${userId}`, userId };
      await adapter.open(session(key, { user }), call);
    };
    await openFor('monday', `${'x'.repeat(300)}1`);
    await openFor('tuesday', `${'x'.repeat(300)}1`);
    await openFor('wednesday', `${'x'.repeat(300)}2`);
    expect(account.conversations()).toHaveLength(3);
    expect(account.contacts).toHaveLength(2);
    expect(account.conversations()[0]?.messages[0]?.content).toContain(`User: ${'x'.repeat(300)}1`);
  });

  it.each([false, true])(
    'refreshes the attributes of a known contact (identity validation: %s)',
    async (hmacMandatory) => {
      const settings = hmacMandatory ? { hmacToken: FAKE_HMAC_TOKEN } : {};
      const { adapter, account } = await startChatwoot({ hmacMandatory }, settings);
      const openWith = async (key: string, contact: { email: string | null; phone: string | null }) => {
        const opened = session(key, { user: { ...session('u1').user, ...contact } });
        return { opened, externalId: (await adapter.open(opened, call)).externalId };
      };
      const first = await openWith('monday', { email: 'old@example.com', phone: '+491' });
      const second = await openWith('tuesday', { email: 'new@example.com', phone: null });
      expect(account.contacts).toHaveLength(1);
      expect(account.contacts[0]?.customAttributes).toEqual({
        handoff_email: 'new@example.com',
        handoff_phone: '+491',
      });
      for (const { opened, externalId } of [first, second])
        expect(await adapter.find(opened, call)).toMatchObject({ externalId });
      expect(first.externalId).not.toBe(second.externalId);
    },
  );

  it('opens the conversation although the attributes cannot be refreshed', async () => {
    const { adapter, account, proxy } = await startChatwoot();
    proxy.answer({ status: 503 }, { match: ({ method }) => method === 'PATCH' });
    await adapter.open(session('u1'), call);
    expect(account.conversations()).toHaveLength(1);
  });

  it('creates one conversation when called twice', async () => {
    const { adapter, account } = await startChatwoot();
    const first = await adapter.open(session('u1'), call);
    expect(await adapter.open(session('u1'), call)).toEqual(first);
    expect(account.conversations().map(({ messages }) => messages.length)).toEqual([1]);
  });

  it('keeps users with the same e-mail address and phone number apart', async () => {
    const { adapter, account } = await startChatwoot();
    const shared = { anonymousId: null, email: 'support@example.com', phone: '+4930123456' };
    for (const id of ['u1', 'u2']) {
      await adapter.open(session(id, { user: { key: `user:${id}`, userId: id, ...shared } }), call);
    }
    expect(account.contacts.map(({ identifier }) => identifier)).toEqual(['user:u1', 'user:u2']);
  });

  it.each([false, true])(
    'is a new conversation of the same contact (single conversation: %s)',
    async (lock) => {
      const { adapter, account, agents } = await startChatwoot({ lockToSingleConversation: lock });
      const { user } = session('u1');
      const before = await adapter.open(session('monday', { user }), call);
      agents.resolve(before.externalId);
      const after = await adapter.open(session('tuesday', { user }), call);
      expect(after.externalId).not.toBe(before.externalId);
      expect(account.contacts).toHaveLength(1);
      expect(account.conversations().map(({ status }) => status)).toEqual(['resolved', 'open']);
    },
  );

  it('refuses a blocked contact, whose conversation agents would not see', async () => {
    const { adapter, agents } = await startChatwoot();
    const { user } = session('u1');
    agents.block((await adapter.open(session('monday', { user }), call)).externalId);
    const error = await failureOf(adapter.open(session('tuesday', { user }), call));
    expect(error).toMatchObject({ kind: 'invalid', message: expect.stringContaining('blocked') });
  });

  it('sends the identifier hash when the inbox requires it', async () => {
    const { adapter, account } = await startChatwoot({ hmacMandatory: true }, { hmacToken: FAKE_HMAC_TOKEN });
    await adapter.open(session('u1'), call);
    expect(account.conversations()).toHaveLength(1);
  });

  it.each([undefined, 'a wrong key'])(
    'names the identity validation key in the error when it is %s',
    async (key) => {
      const settings = key === undefined ? {} : { hmacToken: key };
      const { adapter } = await startChatwoot({ hmacMandatory: true }, settings);
      const error = await failureOf(adapter.open(session('u1'), call));
      expect(error).toMatchObject({
        kind: 'transient',
        message: expect.stringContaining('CHATWOOT_HMAC_TOKEN'),
      });
    },
  );

  it('reports an unknown inbox as an auth error', async () => {
    const { adapter } = await startChatwoot({}, { inbox: 'another' });
    const error = await failureOf(adapter.open(session('u1'), call));
    expect(error).toMatchObject({ kind: 'auth', message: expect.stringContaining('CHATWOOT_INBOX') });
    expect(error.message).not.toContain('another');
  });
});

describe('find', () => {
  it('finds an opened conversation by its session alone', async () => {
    const { adapter } = await startChatwoot();
    const { user } = session('u1');
    const opened = await adapter.open(session('monday', { user }), call);
    expect(await adapter.find(session('monday', { user }), call)).toEqual(opened);
    expect(await adapter.find(session('tuesday', { user }), call)).toBeNull();
  });

  it.each([
    ['the contact', '/contacts'],
    ['the conversation', '/conversations'],
    ['the first message', '/messages'],
  ])('and then open create one conversation when the response to %s was lost', async (_, end) => {
    const { adapter, account, proxy } = await startChatwoot();
    proxy.loseAnswer({ match: ({ method, path }) => method === 'POST' && path.endsWith(end) });
    expect(await failureOf(adapter.open(session('u1'), call))).toMatchObject({ kind: 'transient' });
    const opened = (await adapter.find(session('u1'), call)) ?? (await adapter.open(session('u1'), call));
    expect(account.conversations().map(({ id }) => String(id))).toEqual([opened.externalId]);
    expect(account.conversations()[0]?.messages).toHaveLength(1);
  });

  it('does not mistake a greeting for the first message', async () => {
    const { adapter, account, agents, proxy } = await startChatwoot();
    proxy.refuse({ match: ({ path }) => path.endsWith('/messages') });
    await failureOf(adapter.open(session('u1'), call));
    agents.ruleReply('1', 'A human will be with you soon.');
    expect(await adapter.find(session('u1'), call)).toBeNull();
    await adapter.open(session('u1'), call);
    expect(account.conversations()[0]?.messages.map(({ messageType }) => messageType)).toEqual([
      'outgoing',
      'incoming',
    ]);
  });
});
