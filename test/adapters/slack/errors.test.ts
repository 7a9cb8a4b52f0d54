import { describe, expect, it } from 'vitest';
import { call, errorOf, newSession, refOf, withFake } from './support.js';

const message = { key: 'm-1', text: 'text of a user', sentAt: null };

describe('errors of Slack', () => {
  it.each([
    ['invalid_auth', 'auth'],
    ['not_authed', 'auth'],
    ['account_inactive', 'auth'],
    ['token_revoked', 'auth'],
    ['token_expired', 'auth'],
    ['missing_scope', 'auth'],
    ['not_in_channel', 'auth'],
    ['thread_not_found', 'gone'],
    ['message_not_found', 'gone'],
    ['ratelimited', 'rate-limited'],
    ['rate_limited', 'rate-limited'],
    ['internal_error', 'transient'],
    ['fatal_error', 'transient'],
    ['request_timeout', 'transient'],
    ['msg_too_long', 'invalid'],
    ['invalid_blocks', 'invalid'],
    ['an_error_of_next_year', 'invalid'],
    ['Text That Is No Name', 'invalid'],
  ])('with status 200 and %s are %s', async (error, kind) => {
    const { fake, adapter } = await withFake();
    const session = newSession();
    const ref = refOf(session, await adapter.open(session, call));
    fake.fail('chat.postMessage', { kind: 'error', error });
    const refused = await errorOf(adapter.send(ref, message, call));
    expect(refused).toMatchObject({ kind });
    expect(refused.message).not.toContain('Text That');
    expect(refused.message).not.toContain(message.text);
    expect(refused.message).not.toContain(fake.token);
  });

  it.each(['channel_not_found', 'is_archived'])(
    'with %s is a matter of the settings at first',
    async (error) => {
      const { fake, adapter } = await withFake();
      const session = newSession();
      fake.fail('chat.postMessage', { kind: 'error', error });
      expect(await errorOf(adapter.open(session, call))).toMatchObject({ kind: 'auth' });
      fake.fail('conversations.history', { kind: 'error', error });
      expect(await errorOf(adapter.find(session, call))).toMatchObject({ kind: 'auth' });
      const ref = refOf(session, await adapter.open(session, call));
      fake.fail('chat.postMessage', { kind: 'error', error });
      expect(await errorOf(adapter.send(ref, message, call))).toMatchObject({ kind: 'gone' });
    },
  );

  it('say what to do when the app is not in the channel', async () => {
    const { fake, adapter } = await withFake();
    fake.workspace.channel.member = false;
    const error = await errorOf(adapter.open(newSession(), call));
    expect(error).toMatchObject({ kind: 'auth', code: 'ADAPTER_AUTH' });
    expect(error.message).toContain('/invite');
  });

  it('carry the time to wait when they are rate-limited', async () => {
    const { adapter } = await withFake({ rate: { burst: 1, perMs: 30_000 } });
    const session = newSession();
    const ref = refOf(session, await adapter.open(session, call));
    const error = await errorOf(adapter.send(ref, message, call));
    expect(error).toMatchObject({ kind: 'rate-limited' });
    expect(error.retryAfterMs).toBeGreaterThan(20_000);
  });

  it.each([
    [{ kind: 'status', status: 500 } as const, 'transient'],
    [{ kind: 'status', status: 401 } as const, 'auth'],
    [{ kind: 'lost' } as const, 'transient'],
  ])('include missing answers: %j', async (fault, kind) => {
    const { fake, adapter } = await withFake();
    fake.fail('chat.postMessage', fault);
    expect(await errorOf(adapter.open(newSession(), call))).toMatchObject({ kind });
  });

  it('are auth for a wrong token', async () => {
    const { adapter } = await withFake({}, { botToken: 'xoxb-some-other-token' });
    const error = await errorOf(adapter.open(newSession(), call));
    expect(error).toMatchObject({ kind: 'auth' });
    expect(error.message).not.toContain('some-other-token');
  });
});
