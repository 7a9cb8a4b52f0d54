import { describe, expect, it } from 'vitest';
import { livechat } from '../../../src/adapters/livechat/index.js';
import { CALL, routedTo, SESSION } from '../../fixtures/adapter-session.js';
import { fakeSettings } from '../../fixtures/livechat/harness.js';
import { setUp } from './support.js';

const MESSAGE = { key: 'k', text: 'Hello?', sentAt: null };
const REASON = { by: 'user', text: 'The user has left.' } as const;

describe('a chat of LiveChat', () => {
  it('has a customer, with what is known of the user', async () => {
    const { fake, open } = await setUp();
    const { extra } = await open();
    const customer = fake.customers.get(extra.customer ?? '');
    expect(customer?.name).toMatch(/^ada #[0-9a-f]{12}$/);
    expect(customer?.fields).toEqual([
      { user: 'user:ada' },
      { email: 'support@example.com' },
      { bot: 'bot' },
    ]);
  });

  it('belongs to the customer of earlier handoffs, so that agents see their history', async () => {
    const { fake, adapter, open } = await setUp();
    const first = await open();
    fake.agent.close(first.externalId);
    const again = { ...SESSION, key: 'session-2', previous: [first] };
    const second = await open(again);
    expect(second.extra).toEqual(first.extra);
    expect(fake.customers.size).toBe(1);
    expect([...fake.chats.values()]).toMatchObject([{ active: true, earlier: [{ events: [{}] }] }]);
    // Each handoff is a thread of its own.
    expect(second.externalId).not.toBe(first.externalId);
    expect(await adapter.find(again, CALL)).toMatchObject({ externalId: second.externalId });
    expect(await adapter.find(SESSION, CALL)).toBeNull();
    fake.agent.reply(second.externalId, 'Hello again.');
    expect(await adapter.catchUp?.(second, new Date(0), CALL)).toMatchObject([
      { author: { kind: 'self' } },
      { text: 'Hello again.', externalId: second.externalId },
    ]);
    expect(await adapter.catchUp?.(first, new Date(0), CALL)).toMatchObject([
      { externalId: first.externalId },
      { kind: 'closed', externalId: first.externalId },
    ]);
  });

  it('has a new customer beside another handoff of the user, or if the old customer is gone', async () => {
    const { fake, open } = await setUp();
    const first = await open();
    const second = await open({ ...SESSION, key: 'session-2', previous: [first] });
    expect(second.extra).not.toEqual(first.extra);
    fake.agent.close(second.externalId);
    fake.customers.delete(second.extra.customer ?? '');
    const third = await open({ ...SESSION, key: 'session-3', previous: [second, first] });
    expect([first.extra.customer, second.extra.customer]).not.toContain(third.extra.customer);
  });

  it('is found by its session, among others of the same user', async () => {
    const { adapter, open } = await setUp();
    const [first, second] = [await open(), await open({ ...SESSION, key: 'session-2' })];
    const { externalId, extra } = first;
    expect(await adapter.find(SESSION, CALL)).toEqual({ externalId, extra });
    expect(await adapter.find({ ...SESSION, key: 'session-2' }, CALL)).toMatchObject({
      externalId: second.externalId,
    });
    expect(await adapter.find({ ...SESSION, key: 'session-3' }, CALL)).toBeNull();
  });

  it('is in the group of its route, and shows its priority and tags', async () => {
    const { fake, adapter, open } = await setUp();
    const { externalId, extra } = await open(routedTo('17'));
    expect(fake.chatOf(externalId).groups).toEqual([17]);
    expect(fake.customers.get(extra.customer ?? '')?.fields).toEqual(
      expect.arrayContaining([{ priority: 'high' }, { tags: 'premium, late parcel' }]),
    );
    await expect(adapter.open(routedTo('Shipping'), CALL)).rejects.toMatchObject({ kind: 'invalid' });
  });

  it('is gone once an agent has closed it', async () => {
    const { fake, adapter, open } = await setUp();
    const ref = await open();
    fake.agent.close(ref.externalId);
    await expect(adapter.send(ref, MESSAGE, CALL)).rejects.toMatchObject({ kind: 'gone' });
    await adapter.close(ref, REASON, CALL);
  });

  it('shows agents, and nobody else, a reply that did not reach the user, also once it is closed', async () => {
    const { fake, adapter, open } = await setUp();
    const ref = await open();
    const tell = (text: string) =>
      adapter.undelivered?.(ref, { messageId: null, text }, { kind: 'ended', text: 'It ended.' }, CALL);
    await tell('Wait!');
    fake.agent.close(ref.externalId);
    await tell('x'.repeat(20_000));
    const { active, events } = fake.chatOf(ref.externalId);
    const notes = events.slice(-2);
    expect(notes).toMatchObject([
      { text: expect.stringContaining('"Wait!"'), visibility: 'agents' },
      { text: expect.stringContaining('did not reach the user'), visibility: 'agents' },
    ]);
    expect(active).toBe(false);
  });

  it('is written to with a refreshed token after the last was refused', async () => {
    const { fake, proxy, adapter, open } = await setUp();
    const ref = await open();
    const refreshes = () => fake.requests.filter(({ path }) => path === '/v2/token').length;
    proxy.answer({ status: 401 });
    await expect(adapter.send(ref, MESSAGE, CALL)).rejects.toMatchObject({ kind: 'auth' });
    expect(refreshes()).toBe(1);
    await adapter.send(ref, MESSAGE, CALL);
    expect(refreshes()).toBe(2);
    await adapter.send(ref, MESSAGE, CALL);
    expect(refreshes()).toBe(2);
  });

  it('reports a refused refresh token as wrong credentials', async () => {
    const { fake } = await setUp();
    const wrong = livechat({ ...fakeSettings(fake.url), refreshToken: 'revoked' });
    await expect(wrong.open(SESSION, CALL)).rejects.toMatchObject({
      kind: 'auth',
      message: expect.stringContaining('refresh token'),
    });
  });
});

describe('check', () => {
  it('tells whether the authorization works', async () => {
    const { adapter, proxy } = await setUp();
    expect((await adapter.check(CALL)).every(({ ok }) => ok)).toBe(true);
    for (const answer of [{ status: 403 }, { status: 200, body: '<html>' }]) {
      proxy.answer(answer);
      expect((await adapter.check(CALL)).filter(({ ok }) => !ok)).toMatchObject([
        { name: 'authorization', detail: expect.stringContaining('LIVECHAT_REFRESH_TOKEN') },
      ]);
    }
  });
});

describe('settings', () => {
  it.each([
    [{ clientId: '' }, /clientId/],
    [{ clientSecret: 'two words' }, /clientSecret/],
    [{ refreshToken: ' ' }, /refreshToken/],
    [{ webhookSecret: [] }, /webhookSecret/],
    [{ apiUrl: 'livechat' }, /address must be a URL/],
    [{ accountsUrl: 'accounts' }, /address must be a URL/],
  ])('are checked: %j', (wrong, message) => {
    expect(() => livechat({ ...fakeSettings('https://livechat.test'), ...wrong })).toThrow(message);
  });
});
