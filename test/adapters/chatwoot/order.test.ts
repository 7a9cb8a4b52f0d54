import { describe, expect, it, vi } from 'vitest';
import { setUpHandoff, TIMEOUT_MS } from './setup.js';
import { call, failureOf, session, startChatwoot, toRef } from './support.js';

const WAIT = { timeout: TIMEOUT_MS, interval: 10 };
const LONG_AGO = new Date(0);

/** Hands a user over, and holds Chatwoot's webhooks from then on. */
async function holdWebhooks() {
  const setup = await setUpHandoff();
  await setup.bench.requestHandoff();
  const id = String(setup.conversation().id);
  await setup.fake.settled();
  setup.fake.holdWebhooks();
  return { ...setup, id };
}

describe('webhooks of Chatwoot that arrive in another order', () => {
  it('deliver two replies before the close that overtakes them', async () => {
    const { fake, agents, id, ended, read } = await holdWebhooks();
    agents.reply(id, 'One');
    agents.reply(id, 'Two');
    agents.resolve(id);
    fake.releaseReversed();
    expect(await ended()).toBe('agent');
    await fake.settled();
    expect(read()).toEqual(['Ada: One', 'Ada: Two']);
    expect(fake.deliveries.map(({ status }) => status)).toEqual(fake.deliveries.map(() => 200));
  });

  it('deliver the reply before a survey and a close', async () => {
    const { fake, agents, id, ended, read } = await holdWebhooks();
    agents.reply(id, 'All done');
    agents.survey(id, 'How was it?');
    agents.resolve(id);
    fake.releaseReversed();
    expect(await ended()).toBe('agent');
    await fake.settled();
    expect(read()).toEqual(['Ada: All done']);
  });

  it('deliver three quick replies in order', async () => {
    const { fake, agents, id, read } = await holdWebhooks();
    for (const text of ['One', 'Two', 'Three']) agents.reply(id, text);
    fake.releaseReversed();
    await vi.waitFor(() => expect(read()).toEqual(['Ada: One', 'Ada: Two', 'Ada: Three']), WAIT);
    await fake.settled();
    expect(read()).toHaveLength(3);
  });

  it('deliver a reply through the Slack integration, whose author only its webhook names', async () => {
    const { fake, agents, id, read } = await holdWebhooks();
    agents.slackReply(id, 'From Slack', 'Grace');
    agents.reply(id, 'Later');
    fake.releaseReversed();
    await vi.waitFor(() => expect(read().toSorted()).toEqual(['Ada: Later', 'Grace: From Slack']), WAIT);
  });
});

describe('a reply in Chatwoot after the end', () => {
  it('is marked as failed, also when the agent clicks retry, and has no effect', async () => {
    const { bench, fake, agents, conversation, read } = await setUpHandoff();
    await bench.requestHandoff();
    const id = String(conversation().id);
    await bench.closeByUser();
    await vi.waitFor(() => expect(conversation().status).toBe('resolved'), WAIT);
    const reply = agents.reply(id, 'Are you there?');
    await fake.settled();
    expect(reply.status).toBe('failed');
    agents.retry(reply);
    await fake.settled();
    expect(reply.status).toBe('failed');
    expect(read()).toEqual([]);
    expect(conversation().status).toBe('resolved');
  });
});

describe('catchUp', () => {
  it('lists replies by id, with their webhook ids, without notes and deleted messages, and the close', async () => {
    const { adapter, agents } = await startChatwoot();
    const opened = await adapter.open(session('one'), call);
    const ref = toRef(session('one'), opened);
    const { externalId } = opened;
    const one = agents.reply(externalId, 'One\ntwo');
    agents.note(externalId, 'a note');
    agents.deleteMessage(agents.reply(externalId, 'deleted'));
    const rule = agents.ruleReply(externalId, 'a rule');
    const agentEvents = async (since: Date) =>
      ((await adapter.catchUp?.(ref, since, call)) ?? []).filter(({ author }) => author.kind !== 'self');
    expect(await agentEvents(LONG_AGO)).toMatchObject([
      {
        kind: 'message',
        id: `message ${one.id}`,
        text: 'One\ntwo',
        internal: false,
        author: { name: 'Ada' },
      },
      { kind: 'message', id: `message ${rule.id}`, author: { kind: 'system' } },
    ]);
    agents.resolve(externalId);
    expect((await agentEvents(LONG_AGO)).at(-1)).toMatchObject({ kind: 'closed', externalId });
    expect(await agentEvents(new Date(Date.now() + 60_000))).toMatchObject([{ kind: 'closed' }]);
  });

  it('lists replies by id when Chatwoot returns them in another order', async () => {
    const { adapter, agents, account } = await startChatwoot();
    const opened = await adapter.open(session('one'), call);
    const texts = Array.from({ length: 12 }, (_, index) => `Reply ${index}`);
    for (const text of texts) agents.reply(opened.externalId, text);
    account.conversation(Number(opened.externalId)).messages.reverse();
    const events = (await adapter.catchUp?.(toRef(session('one'), opened), LONG_AGO, call)) ?? [];
    const replies = events.filter(({ author }) => author.kind === 'agent');
    expect(replies).toMatchObject(texts.map((text) => ({ kind: 'message', text })));
  });

  it('lists the last messages of a conversation that is too large to read', async () => {
    const { adapter, agents, proxy } = await startChatwoot();
    const opened = await adapter.open(session('one'), call);
    for (let count = 0; count < 25; count += 1) agents.reply(opened.externalId, `Reply ${count}`);
    const tooLarge = { status: 200, body: 'x'.repeat(17 * 1024 * 1024) };
    proxy.answer(tooLarge, { match: ({ path }) => !path.endsWith('/messages') });
    const events = await adapter.catchUp?.(toRef(session('one'), opened), LONG_AGO, call);
    expect(events).toHaveLength(20);
    expect(events?.at(-1)).toMatchObject({ kind: 'message', text: 'Reply 24' });
  });

  it('reports a deleted conversation as gone', async () => {
    const { adapter, agents } = await startChatwoot();
    const opened = await adapter.open(session('one'), call);
    agents.deleteConversation(opened.externalId);
    const listing = Promise.resolve(adapter.catchUp?.(toRef(session('one'), opened), LONG_AGO, call));
    expect((await failureOf(listing)).kind).toBe('gone');
  });
});

describe('undelivered', () => {
  const MESSAGE = { messageId: '7', text: 'Hello' };
  const REASON = { kind: 'failed', text: 'The platform did not take it.' } as const;

  it.each(['open', 'resolved'] as const)('posts a notice and leaves the conversation %s', async (status) => {
    const { adapter, agents, account } = await startChatwoot();
    const opened = await adapter.open(session('one'), call);
    if (status === 'resolved') agents.resolve(opened.externalId);
    await adapter.undelivered?.(toRef(session('one'), opened), MESSAGE, REASON, call);
    const conversation = account.conversation(Number(opened.externalId));
    expect(conversation.messages.at(-1)?.content).toBe(
      '[handoff] (This reply did not reach the user: "Hello" The platform did not take it.)',
    );
    expect(conversation.status).toBe(status);
  });
});
