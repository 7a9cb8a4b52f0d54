import { describe, expect, it } from 'vitest';
import { call, failureOf, session, startChatwoot, toRef } from './support.js';

const LEFT = { by: 'user', text: 'The user has left.' } as const;

async function openConversation() {
  const desk = await startChatwoot();
  const ref = toRef(session('u1'), await desk.adapter.open(session('u1'), call));
  const [conversation] = desk.account.conversations();
  if (!conversation) throw new Error('there must be a conversation');
  return { ...desk, ref, conversation };
}

describe('close', () => {
  it('posts the reason and resolves', async () => {
    const { adapter, conversation, ref } = await openConversation();
    await adapter.close(ref, LEFT, call);
    expect(conversation.status).toBe('resolved');
    expect(conversation.messages.at(-1)?.content).toBe('[handoff] The user has left.');
  });

  it('does not reopen a conversation that an agent has resolved', async () => {
    const { adapter, agents, conversation, ref, requests } = await openConversation();
    agents.resolve(ref.externalId);
    const before = requests.length;
    await adapter.close(ref, LEFT, call);
    expect(conversation.status).toBe('resolved');
    expect(conversation.messages).toHaveLength(1);
    expect(requests.slice(before).map(({ method }) => method)).toEqual(['GET']);
  });

  it('resolves a snoozed conversation', async () => {
    const { adapter, agents, conversation, ref } = await openConversation();
    agents.snooze(ref.externalId);
    await adapter.close(ref, LEFT, call);
    expect(conversation.status).toBe('resolved');
  });

  it.each(['/messages', '/toggle_status'])(
    'posts the reason once when the response of %s was lost',
    async (end) => {
      const { adapter, conversation, ref, proxy } = await openConversation();
      proxy.loseAnswer({ match: ({ path }) => path.endsWith(end) });
      expect(await failureOf(adapter.close(ref, LEFT, call))).toMatchObject({ kind: 'transient' });
      await adapter.close(ref, LEFT, call);
      expect(conversation.status).toBe('resolved');
      expect(conversation.messages).toHaveLength(2);
    },
  );

  it('succeeds for a deleted conversation', async () => {
    const { adapter, agents, ref } = await openConversation();
    agents.deleteConversation(ref.externalId);
    await expect(adapter.close(ref, LEFT, call)).resolves.toBeUndefined();
  });

  it('resolves a conversation whose messages take more than a mebibyte', async () => {
    const { adapter, agents, conversation, ref } = await openConversation();
    for (let count = 0; count < 12; count += 1) agents.reply(ref.externalId, 'x'.repeat(100_000));
    await adapter.close(ref, LEFT, call);
    expect(conversation.status).toBe('resolved');
    expect(conversation.messages.at(-1)?.content).toBe('[handoff] The user has left.');
  });

  it('resolves a conversation that is too large to be read', async () => {
    const { adapter, conversation, ref, proxy } = await openConversation();
    proxy.answer({ status: 200, body: 'x'.repeat(17 * 1024 * 1024) }, { match: ({ writes }) => !writes });
    await adapter.close(ref, LEFT, call);
    expect(conversation.status).toBe('resolved');
    expect(conversation.messages).toHaveLength(2);
  });

  it('succeeds when the response, which is not needed, is too large', async () => {
    const { adapter, conversation, ref, proxy } = await openConversation();
    proxy.answer(
      { status: 200, body: 'x'.repeat(2_000_000) },
      { match: ({ path }) => path.endsWith('status') },
    );
    await expect(adapter.close(ref, LEFT, call)).resolves.toBeUndefined();
    expect(conversation.messages).toHaveLength(2);
  });
});
