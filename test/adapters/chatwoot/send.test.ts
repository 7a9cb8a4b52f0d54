import { describe, expect, it } from 'vitest';
import type { ChatwootSettings } from '../../../src/adapters/chatwoot/index.js';
import type { FakeChatwootOptions } from '../../fixtures/chatwoot/fake-chatwoot.js';
import { call, failureOf, session, startChatwoot, toRef } from './support.js';

const said = (text: string, key = 'k1') => ({ key, text, sentAt: null });

async function openDesk(
  options: FakeChatwootOptions = {},
  settings: Omit<Partial<ChatwootSettings>, 'url'> = {},
) {
  const desk = await startChatwoot(options, settings);
  const ref = toRef(session('u1'), await desk.adapter.open(session('u1'), call));
  return { ...desk, ref };
}

describe('send', () => {
  it('shows the agents what the user says, and gives the id of it', async () => {
    const { adapter, account, requests, ref } = await openDesk();
    const text = '<b>Hi</b> & *you* {{contact.email}} 👩‍👩‍👧 你好 مرحبا';
    const { messageId } = await adapter.send(ref, said(text, 'key 1'), call);
    const message = account.conversations()[0]?.messages.at(-1);
    expect(message).toMatchObject({ content: text, messageType: 'incoming' });
    expect(messageId).toBe(String(message?.id));
    expect(requests.at(-1)?.json).toEqual({ content: text, echo_id: 'key 1' });
  });

  it('takes the longest text that it says it takes', async () => {
    const { adapter, ref } = await openDesk();
    const text = '𝕏'.repeat(adapter.capabilities.maxTextLength / 2);
    await expect(adapter.send(ref, said(text), call)).resolves.toMatchObject({
      messageId: expect.any(String),
    });
  });

  it('tells of too many messages in one conversation as a matter of time', async () => {
    const { adapter, ref } = await openDesk({ messagesPerMinute: 2 });
    await adapter.send(ref, said('one'), call);
    const error = await failureOf(adapter.send(ref, said('two'), call));
    expect(error).toMatchObject({ kind: 'rate-limited', retryAfterMs: 15_000 });
  });

  it('tells of too many requests as a matter of time', async () => {
    const { adapter, ref } = await openDesk({ requestsPerMinute: 4, now: () => 1_000_000_000_000 });
    const error = await failureOf(adapter.send(ref, said('one'), call));
    expect(error).toMatchObject({ kind: 'rate-limited', retryAfterMs: null });
  });

  it('tells of a text that Chatwoot does not take as invalid', async () => {
    const { adapter, ref } = await openDesk();
    const error = await failureOf(adapter.send(ref, said('x'.repeat(150_001)), call));
    expect(error).toMatchObject({ kind: 'invalid' });
    expect(error.message).not.toContain('xxx');
  });

  it('tells of a conversation that was deleted as gone', async () => {
    const { adapter, agents, ref } = await openDesk();
    agents.deleteConversation(ref.externalId);
    expect(await failureOf(adapter.send(ref, said('one'), call))).toMatchObject({ kind: 'gone' });
  });

  it.each([
    [401, 'auth'],
    [500, 'transient'],
    [502, 'transient'],
    [301, 'invalid'],
  ])('tells of %s as %s', async (status, kind) => {
    const { adapter, proxy, ref } = await openDesk();
    proxy.answer({ status });
    expect(await failureOf(adapter.send(ref, said('one'), call))).toMatchObject({ kind });
  });

  it('does not take the page of another server for success', async () => {
    const { adapter, proxy, ref } = await openDesk();
    proxy.answer({ status: 200, body: '<html>Welcome</html>' });
    const error = await failureOf(adapter.send(ref, said('one'), call));
    expect(error).toMatchObject({ kind: 'invalid', message: expect.stringContaining('check CHATWOOT_URL') });
  });

  it('tells of an answer that does not come as transient', async () => {
    const { adapter, proxy, ref } = await openDesk({}, { timeoutMs: 500 });
    const release = proxy.hold();
    expect(await failureOf(adapter.send(ref, said('one'), call))).toMatchObject({ kind: 'transient' });
    release();
  });

  it('refuses a conversation of another adapter', async () => {
    const { adapter, ref } = await openDesk();
    const error = await failureOf(adapter.send({ ...ref, extra: {} }, said('one'), call));
    expect(error).toMatchObject({ kind: 'invalid' });
  });
});
