import { createPublicKey } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { zohoSalesIq } from '../../../src/adapters/zoho-salesiq/index.js';
import { CALL, routedTo, SESSION, setUpAdapter } from '../../fixtures/adapter-session.js';
import {
  FAKE_PUBLIC_KEY,
  OTHER_DEPARTMENT,
  startFakeSalesIq,
} from '../../fixtures/zoho-salesiq/fake-salesiq.js';
import { fakeSettings } from '../../fixtures/zoho-salesiq/harness.js';

const MESSAGE = { key: 'k', text: 'Hello?', sentAt: null };
const REASON = { by: 'user', text: 'The user has left.' } as const;

const setUp = async () => setUpAdapter(await startFakeSalesIq(), (url) => zohoSalesIq(fakeSettings(url)));

describe('a conversation of Zoho SalesIQ', () => {
  it('has the user as its visitor, and what was said before as its question', async () => {
    const { fake, open } = await setUp();
    const { externalId } = await open();
    const { visitor, question } = fake.conversations.get(externalId) ?? {};
    expect(visitor).toBe('user:ada');
    expect(question).toContain('Customer: Where is my parcel?');
    expect(JSON.stringify(fake.requests.map(({ json }) => json.visitor))).not.toContain(
      'support@example.com',
    );
  });

  it('is found by its session, among others of the same user', async () => {
    const { adapter, open } = await setUp();
    const [first, second] = [await open(), await open({ ...SESSION, key: 'session-2' })];
    expect(await adapter.find(SESSION, CALL)).toEqual({ externalId: first.externalId });
    expect(await adapter.find({ ...SESSION, key: 'session-2' }, CALL)).toEqual({
      externalId: second.externalId,
    });
    expect(await adapter.find({ ...SESSION, key: 'session-3' }, CALL)).toBeNull();
  });

  it('is in the department of its route, and found there', async () => {
    const { fake, adapter, open } = await setUp();
    const { externalId } = await open(routedTo(OTHER_DEPARTMENT));
    const { department, question } = fake.conversations.get(externalId) ?? {};
    expect(department).toBe(OTHER_DEPARTMENT);
    expect(question).toContain('Priority: high\nTags: premium, late parcel');
    expect(await adapter.find(SESSION, CALL)).toEqual({ externalId });
  });

  it('needs no close once it has ended or was deleted, and a refused close is reported otherwise', async () => {
    const { fake, proxy, adapter, open } = await setUp();
    const ref = await open();
    proxy.answer({ status: 400 }, { match: ({ method }) => method === 'PUT' });
    await expect(adapter.close(ref, REASON, CALL)).rejects.toMatchObject({ kind: 'invalid' });
    fake.agent.close(ref.externalId);
    await adapter.close(ref, REASON, CALL);
    await expect(adapter.send(ref, MESSAGE, CALL)).rejects.toMatchObject({ kind: 'gone' });
    fake.conversations.clear();
    await adapter.close(ref, REASON, CALL);
    await expect(adapter.send(ref, MESSAGE, CALL)).rejects.toMatchObject({ kind: 'gone' });
  });

  it('has a note for each reply that did not reach the user, also once it has ended', async () => {
    const { fake, adapter, open } = await setUp();
    const ref = await open();
    fake.agent.close(ref.externalId);
    const reason = { kind: 'ended', text: 'It ended.' } as const;
    await adapter.undelivered?.(ref, { messageId: null, text: 'Wait!' }, reason, CALL);
    expect(fake.conversations.get(ref.externalId)).toMatchObject({
      notes: [expect.stringContaining('"Wait!"')],
      messages: [],
    });
  });

  it('is written to with a refreshed token after the last was refused', async () => {
    const { fake, proxy, adapter, open } = await setUp();
    const ref = await open();
    const refreshes = () => fake.requests.filter(({ path }) => path === '/oauth/v2/token').length;
    proxy.answer({ status: 401 });
    await expect(adapter.send(ref, MESSAGE, CALL)).rejects.toMatchObject({ kind: 'auth' });
    await adapter.send(ref, MESSAGE, CALL);
    await adapter.send(ref, MESSAGE, CALL);
    expect(refreshes()).toBe(2);
  });

  it('is written to with a new token after an hour, also where Zoho gives its lifetime in milliseconds', async () => {
    const { fake, adapter, open } = await setUp();
    const ref = await open();
    const { now } = Date;
    vi.spyOn(Date, 'now').mockImplementation(() => now() + 3_600_000);
    onTestFinished(() => vi.mocked(Date.now).mockRestore());
    await adapter.send(ref, MESSAGE, CALL);
    expect(fake.requests.filter(({ path }) => path === '/oauth/v2/token')).toHaveLength(2);
  });

  it('reports a refused refresh token as wrong credentials, although Zoho answers 200', async () => {
    const { fake } = await setUp();
    const wrong = zohoSalesIq({ ...fakeSettings(fake.url), refreshToken: 'revoked' });
    await expect(wrong.open(SESSION, CALL)).rejects.toMatchObject({ kind: 'auth' });
    expect((await wrong.check(CALL)).filter(({ ok }) => !ok)).toMatchObject([{ name: 'authorization' }]);
  });
});

describe('settings', () => {
  it.each([
    [{ screenName: 'a/b' }, /screenName/],
    [{ departmentId: '' }, /departmentId/],
    [{ refreshToken: ' ' }, /refreshToken/],
    [{ publicKey: 'no key' }, /publicKey/],
    // Of an elliptic curve.
    [{ publicKey: 'MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=' }, /publicKey/],
    [{ publicKey: [FAKE_PUBLIC_KEY, ''] }, /publicKey/],
    [{ apiUrl: 'salesiq' }, /address must be a URL/],
  ])('are checked: %j', (wrong, message) => {
    expect(() => zohoSalesIq({ ...fakeSettings('https://salesiq.test'), ...wrong })).toThrow(message);
  });

  it('take the public key as Zoho shows it, or as PEM', () => {
    const der = Buffer.from(FAKE_PUBLIC_KEY, 'base64');
    const pem = createPublicKey({ key: der, format: 'der', type: 'spki' }).export({
      format: 'pem',
      type: 'spki',
    });
    const settings = fakeSettings('https://salesiq.test');
    expect(() => zohoSalesIq({ ...settings, publicKey: [String(pem), FAKE_PUBLIC_KEY] })).not.toThrow();
  });
});
