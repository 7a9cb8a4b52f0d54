import { describe, expect, it } from 'vitest';
import { intercom } from '../../../src/adapters/intercom/index.js';
import { CALL, routedTo, SESSION } from '../../fixtures/adapter-session.js';
import { FAKE_CLIENT_SECRET, FAKE_TEAM, FAKE_TOKEN } from '../../fixtures/intercom/fake-intercom.js';
import { setUp } from './support.js';

const MESSAGE = { key: 'k', text: 'Hello?', sentAt: null };

describe('a conversation of Intercom', () => {
  it('has one contact per user, without the e-mail address, and a page for agents', async () => {
    const { fake, open } = await setUp();
    const { url, externalId } = await open();
    await open({ ...SESSION, key: 'session-2' });
    expect([...fake.contacts.values()]).toMatchObject([
      { external_id: 'user:ada', name: 'ada', role: 'user' },
    ]);
    expect(fake.requests.find(({ path }) => path === '/contacts')?.json).not.toHaveProperty('email');
    expect(url).toBe(`https://app.intercom.com/a/inbox/abcd1234/inbox/conversation/${externalId}`);
    expect(fake.conversations.get(externalId)?.first).toContain('E-mail: support@example.com');
  });

  it('has a contact for a user whose id is too long', async () => {
    const { fake, open } = await setUp();
    await open({ ...SESSION, user: { ...SESSION.user, key: `user:${'x'.repeat(300)}` } });
    expect([...fake.contacts.keys()][0]?.length).toBeLessThan(256);
  });

  it('is found by its session, among others of the same user', async () => {
    const { adapter, open } = await setUp();
    const [first, second] = [await open(), await open({ ...SESSION, key: 'session-2' })];
    expect(await adapter.find(SESSION, CALL)).toMatchObject({ externalId: first.externalId });
    expect(await adapter.find({ ...SESSION, key: 'session-2' }, CALL)).toMatchObject({
      externalId: second.externalId,
    });
    expect(await adapter.find({ ...SESSION, key: 'session-3' }, CALL)).toBeNull();
  });

  it('has the tags and the team of its route', async () => {
    const { fake, open } = await setUp();
    const { externalId } = await open(routedTo(FAKE_TEAM));
    const { tags, team, first } = fake.conversations.get(externalId) ?? {};
    expect(tags).toEqual(['premium', 'late parcel']);
    expect(team).toBe(FAKE_TEAM);
    expect(first).toContain('Priority: high');
  });

  it('stays open when the team of its route does not exist', async () => {
    const { fake, open } = await setUp();
    const { externalId } = await open(routedTo('1'));
    expect(fake.conversations.get(externalId)).toMatchObject({
      team: null,
      tags: ['premium', 'late parcel'],
    });
    expect(fake.conversations.size).toBe(1);
  });

  it('names an archived contact as the cause when Intercom refuses a new one and finds none', async () => {
    const { proxy, open } = await setUp();
    proxy.answer({ status: 409 }, { match: ({ method }) => method === 'POST' });
    await expect(open()).rejects.toMatchObject({
      kind: 'invalid',
      message: expect.stringContaining('archived'),
    });
  });

  it('takes messages although the answer to each is the whole conversation', async () => {
    const { proxy, adapter, open } = await setUp();
    const ref = await open();
    const huge = {
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: 'x'.repeat(2_000_000),
    };
    proxy.answer(huge, { times: 2, match: ({ method }) => method === 'POST' });
    await adapter.send(ref, MESSAGE, CALL);
    await adapter.close(ref, { by: 'user', text: 'Gone.' }, CALL);
  });

  it('needs no close when it was deleted', async () => {
    const { fake, adapter, open } = await setUp();
    const ref = await open();
    fake.conversations.clear();
    await adapter.close(ref, { by: 'user', text: 'Gone.' }, CALL);
    await expect(adapter.send(ref, MESSAGE, CALL)).rejects.toMatchObject({ kind: 'gone' });
  });

  it('waits for the next window of the rate limit, whose time Intercom sends', async () => {
    const { proxy, adapter, open } = await setUp();
    const ref = await open();
    const reset = Math.ceil(Date.now() / 1000) + 30;
    proxy.answer({ status: 429, headers: { 'x-ratelimit-reset': String(reset) } });
    const error = await adapter.send(ref, MESSAGE, CALL).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ kind: 'rate-limited' });
    expect(Object(error).retryAfterMs).toBeGreaterThan(15_000);
    expect(Object(error).retryAfterMs).toBeLessThanOrEqual(31_000);
  });
});

describe('check', () => {
  it('names the owner of the token', async () => {
    const { adapter } = await setUp();
    expect(await adapter.check(CALL)).toEqual([
      { name: 'access token', ok: true, detail: 'It belongs to Integration in Example, region US.' },
      { name: 'permissions', ok: true, detail: 'The app may read conversations.' },
      { name: 'client secret', ok: true, detail: expect.any(String) },
    ]);
  });

  it('names a missing permission, a wrong token and a wrong address', async () => {
    const { proxy, adapter } = await setUp();
    proxy.answer({ status: 403 }, { match: ({ method }) => method === 'POST' });
    expect((await adapter.check(CALL)).filter(({ ok }) => !ok)).toMatchObject([{ name: 'permissions' }]);
    proxy.answer({ status: 401 });
    expect((await adapter.check(CALL)).filter(({ ok }) => !ok)).toMatchObject([{ name: 'access token' }]);
    proxy.answer({ status: 200, body: '<html>' });
    expect((await adapter.check(CALL)).filter(({ ok }) => !ok)).toMatchObject([
      { name: 'access token', detail: expect.stringContaining('INTERCOM_API_URL') },
    ]);
  });
});

describe('settings', () => {
  it.each([
    [{ accessToken: ' ' }, /accessToken/],
    [{ accessToken: 'two words' }, /accessToken/],
    [{ clientSecret: [] }, /clientSecret/],
    [{ clientSecret: ['a', ' '] }, /clientSecret/],
    [{ apiUrl: 'intercom' }, /address must be a URL/],
  ])('are checked: %j', (wrong, message) => {
    const right = { accessToken: FAKE_TOKEN, clientSecret: FAKE_CLIENT_SECRET };
    expect(() => intercom({ ...right, ...wrong })).toThrow(message);
  });
});
