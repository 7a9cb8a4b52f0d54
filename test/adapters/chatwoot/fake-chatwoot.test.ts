import { describe, expect, it } from 'vitest';
import { startFakeChatwoot } from '../../fixtures/chatwoot/fake-chatwoot.js';
import { deferred } from '../../helpers/deferred.js';
import { serve } from '../../helpers/serve.js';
import { call, createAdapter, session, startChatwoot } from './support.js';

/** The other tests rely on the fake having the quirks of Chatwoot. */
describe('the fake Chatwoot', () => {
  it.each([401, 500])(
    'marks a message as failed when its webhook is answered %i, and does not repeat it',
    async (status) => {
      const { url } = await serve((_, response) => void response.writeHead(status).end());
      const { adapter, agents, deliveries, fake } = await startChatwoot({ webhookUrl: url });
      const { externalId } = await adapter.open(session('u1'), call);
      const reply = agents.reply(externalId, 'Hello');
      await fake.settled();
      expect(reply.status).toBe('failed');
      expect(deliveries.map(({ event }) => event)).toEqual([
        'conversation_created',
        'message_created',
        'message_created',
        'message_updated',
        'message_updated',
      ]);
    },
  );

  it('times out webhooks', async () => {
    const end = deferred();
    const { url } = await serve((_, response) => void end.promise.then(() => response.end()));
    const { adapter, agents, fake } = await startChatwoot({ webhookUrl: url, webhookTimeoutMs: 50 });
    const reply = agents.reply((await adapter.open(session('u1'), call)).externalId, 'Hello');
    await fake.settled();
    end.resolve();
    expect(reply.status).toBe('failed');
  });

  it('marks only messages that the inbox webhook missed', async () => {
    const { url } = await serve((_, response) => void response.writeHead(500).end());
    const { adapter, agents, fake } = await startChatwoot({ accountWebhookUrl: url });
    const reply = agents.reply((await adapter.open(session('u1'), call)).externalId, 'Hello');
    await fake.settled();
    expect(reply.status).toBe('sent');
  });

  it('delivers our own messages, notes and closes by both webhooks, signed', async () => {
    const { url } = await serve((_, response) => void response.end());
    const { adapter, agents, deliveries, fake } = await startChatwoot({
      webhookUrl: url,
      accountWebhookUrl: url,
    });
    const { externalId } = await adapter.open(session('u1'), call);
    agents.note(externalId, 'Among us');
    agents.resolve(externalId);
    await fake.settled();
    const ofInbox = deliveries.filter(({ type }) => type === 'inbox');
    expect(ofInbox.map(({ event }) => event)).toEqual([
      'conversation_created',
      'message_created',
      'message_created',
      'conversation_status_changed',
      'conversation_updated',
    ]);
    expect(deliveries.filter(({ type }) => type === 'account').map(({ body }) => body)).toEqual(
      ofInbox.map(({ body }) => body),
    );
    expect(new Set(deliveries.map(({ headers }) => headers['x-chatwoot-delivery'])).size).toBe(10);
    for (const { headers, body } of ofInbox) {
      const request = { method: 'POST', url: '/', headers, body: Buffer.from(body), receivedAt: Date.now() };
      expect(createAdapter().verify(request)).toBe('genuine');
    }
  });

  it('merges contacts with the same e-mail address', async () => {
    await using fake = await startFakeChatwoot();
    const { account } = fake;
    const email = 'support@example.com';
    const first = account.saveSession('s1', { identifier: 'user:u1', email });
    expect(account.saveSession('s2', { identifier: 'user:u2', email }).contact).toBe(first.contact);
  });

  it('reuses the last conversation of a contact when only one is allowed', async () => {
    await using fake = await startFakeChatwoot({ lockToSingleConversation: true });
    const { account } = fake;
    const own = account.saveSession('s1', { identifier: 'user:u1' });
    const first = account.startConversation(own, {});
    account.setStatus(first, 'resolved');
    expect(account.startConversation(own, {})).toBe(first);
    expect(account.startConversation(account.saveSession('s2', { identifier: 'user:u1' }), {})).not.toBe(
      first,
    );
  });

  it('reopens a resolved conversation when the contact writes', async () => {
    await using fake = await startFakeChatwoot();
    const { account } = fake;
    const own = account.saveSession('s1', {});
    const conversation = account.startConversation(own, {});
    account.setStatus(conversation, 'resolved');
    account.addMessage(conversation, { messageType: 'incoming', content: 'Wait!', sender: own.contact });
    expect(conversation.status).toBe('open');
  });
});
