import { describe, expect, it } from 'vitest';
import type { ChatwootSettings } from '../../../src/adapters/chatwoot/index.js';
import type { FakeChatwootOptions } from '../../fixtures/chatwoot/fake-chatwoot.js';
import { call, failureOf, session, startChatwoot, toRef } from './support.js';

const outgoing = (text: string, key = 'k1') => ({ key, text, sentAt: null });

async function openConversation(
  options: FakeChatwootOptions = {},
  settings: Omit<Partial<ChatwootSettings>, 'url'> = {},
) {
  const desk = await startChatwoot(options, settings);
  const ref = toRef(session('u1'), await desk.adapter.open(session('u1'), call));
  return { ...desk, ref };
}

describe('send', () => {
  it('shows the message to the agents, and returns its id', async () => {
    const { adapter, account, requests, ref } = await openConversation();
    const text = '<b>Hi</b> & *you* {{contact.email}} 👩‍👩‍👧 你好 مرحبا';
    const { messageId } = await adapter.send(ref, outgoing(text, 'key 1'), call);
    const message = account.conversations()[0]?.messages.at(-1);
    expect(message).toMatchObject({ content: text, messageType: 'incoming' });
    expect(messageId).toBe(String(message?.id));
    expect(requests.at(-1)?.json).toEqual({ content: text, echo_id: 'key 1' });
  });

  it('accepts a text of maxTextLength', async () => {
    const { adapter, ref } = await openConversation();
    const text = '𝕏'.repeat(adapter.capabilities.maxTextLength / 2);
    await expect(adapter.send(ref, outgoing(text), call)).resolves.toMatchObject({
      messageId: expect.any(String),
    });
  });

  it('reports too many messages in one conversation as rate-limited', async () => {
    const { adapter, ref } = await openConversation({ messagesPerMinute: 2 });
    await adapter.send(ref, outgoing('one'), call);
    const error = await failureOf(adapter.send(ref, outgoing('two'), call));
    expect(error).toMatchObject({ kind: 'rate-limited', retryAfterMs: 15_000 });
  });

  it('reports too many requests as rate-limited', async () => {
    const { adapter, ref } = await openConversation({ requestsPerMinute: 5, now: () => 1_000_000_000_000 });
    const error = await failureOf(adapter.send(ref, outgoing('one'), call));
    expect(error).toMatchObject({ kind: 'rate-limited', retryAfterMs: null });
  });

  it('reports a text that Chatwoot rejects as invalid', async () => {
    const { adapter, ref } = await openConversation();
    const error = await failureOf(adapter.send(ref, outgoing('x'.repeat(150_001)), call));
    expect(error).toMatchObject({ kind: 'invalid' });
    expect(error.message).not.toContain('xxx');
  });

  it('reports a deleted conversation as gone', async () => {
    const { adapter, agents, ref } = await openConversation();
    agents.deleteConversation(ref.externalId);
    expect(await failureOf(adapter.send(ref, outgoing('one'), call))).toMatchObject({ kind: 'gone' });
  });

  it.each([
    [401, 'auth'],
    [500, 'transient'],
    [502, 'transient'],
    [301, 'invalid'],
  ])('reports %s as %s', async (status, kind) => {
    const { adapter, proxy, ref } = await openConversation();
    proxy.answer({ status });
    expect(await failureOf(adapter.send(ref, outgoing('one'), call))).toMatchObject({ kind });
  });

  it('does not mistake a page of another server for success', async () => {
    const { adapter, proxy, ref } = await openConversation();
    proxy.answer({ status: 200, body: '<html>Welcome</html>' });
    const error = await failureOf(adapter.send(ref, outgoing('one'), call));
    expect(error).toMatchObject({ kind: 'invalid', message: expect.stringContaining('check CHATWOOT_URL') });
  });

  it('reports a missing response as transient', async () => {
    const { adapter, proxy, ref } = await openConversation({}, { timeoutMs: 2_000 });
    const release = proxy.hold();
    expect(await failureOf(adapter.send(ref, outgoing('one'), call))).toMatchObject({ kind: 'transient' });
    release();
  });

  it('refuses a conversation of another adapter', async () => {
    const { adapter, ref } = await openConversation();
    const error = await failureOf(adapter.send({ ...ref, extra: {} }, outgoing('one'), call));
    expect(error).toMatchObject({ kind: 'invalid' });
  });
});
