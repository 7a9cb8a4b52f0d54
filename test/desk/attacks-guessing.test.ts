import { describe, expect, it } from 'vitest';
import { createAccount } from '../../src/desk/server/agents/account.js';
import { createAgents } from '../../src/desk/server/agents/agents.js';
import { createLoginThrottle, networkOf } from '../../src/desk/server/agents/login-throttle.js';
import { DUMMY_HASH, hashPassword, verifyPassword } from '../../src/desk/server/agents/password.js';
import { createMemoryDocumentStore } from '../../src/desk/server/store/memory-document-store.js';
import { postLogin } from './agent-client.js';
import { createDeskEnvironment, PASSWORD } from './desk-environment.js';

describe('guessing passwords', () => {
  it('is slowed down by name, also for concurrent attempts', async () => {
    const { start } = await createDeskEnvironment();
    const instance = await start();
    await instance.agent('ann');
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, nth) =>
        postLogin(instance.url, { name: 'ann', password: `wrong guess ${nth}` }),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    const judged = statuses.filter((status) => status === 401).length;
    const waiting = answers.filter(({ status }) => status === 429);
    expect(judged).toBeGreaterThanOrEqual(5);
    expect(waiting.length).toBeGreaterThan(0);
    expect(judged + waiting.length).toBe(12);
    expect(Number(waiting[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
    const actions = (await instance.audit()).map(({ action }) => action);
    expect(actions.filter((action) => action === 'refused: login failed')).toHaveLength(judged);
    expect(actions.filter((action) => action === 'refused: too many logins')).toHaveLength(waiting.length);
    expect(instance.logged.text() + JSON.stringify(await instance.audit())).not.toContain('wrong guess');
  });

  it('is slowed down by address, whatever the names', async () => {
    const { start } = await createDeskEnvironment();
    const { url } = await start({ trustProxy: true });
    const guess = (nth: number, from: string) =>
      postLogin(url, { name: `name${nth}`, password: 'x' }, { 'x-forwarded-for': from });
    const statuses: number[] = [];
    for (let nth = 0; nth < 22; nth += 1) statuses.push((await guess(nth, '203.0.113.7')).status);
    expect(statuses.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 401));
    expect(statuses.slice(20)).toContain(429);
    expect((await guess(99, '203.0.113.8')).status).toBe(401);
  }, 600_000);

  it('does not delay the page, however many logins are tried at once', async () => {
    const { start } = await createDeskEnvironment();
    const { url, agent } = await start({ trustProxy: true });
    const ann = await agent('ann');
    let judged = 0;
    const logins = Array.from({ length: 100 }, async (_, nth) => {
      const from = `203.0.${nth}.7`;
      const answer = await postLogin(url, { name: `n${nth}`, password: 'x' }, { 'x-forwarded-for': from });
      if (answer.status === 401) judged += 1;
      return answer;
    });
    // The page is a file, which the thread pool reads that also hashes passwords.
    expect((await ann.get('/')).status).toBe(200);
    const judgedBefore = judged;
    const answers = await Promise.all(logins);
    expect(judgedBefore).toBeLessThan(judged);
    const busy = answers.filter(({ status }) => status === 503);
    expect(busy.length + judged).toBe(100);
    expect(busy.length).toBeGreaterThan(0);
    expect(busy[0]?.headers.get('retry-after')).toBe('5');
    // One that was not checked does not count.
    expect((await postLogin(url, { name: 'ann', password: PASSWORD })).status).toBe(204);
  }, 600_000);

  it('waits longer after each failure, until the count is reset', () => {
    let now = 0;
    const throttle = createLoginThrottle({ free: 3, longestMs: 20_000, now: () => now });
    const waits = Array.from({ length: 7 }, () => {
      expect(throttle.attempt('k')).toBe(0);
      const wait = throttle.attempt('k');
      now += wait;
      return wait;
    });
    // The second attempt of the first pair is free too.
    expect(waits).toEqual([0, 5_000, 10_000, 20_000, 20_000, 20_000, 20_000]);
    // Concurrent attempts count when they start.
    const many = Array.from({ length: 9 }, () => throttle.attempt('other'));
    expect(many.filter((wait) => wait === 0)).toHaveLength(3);
    throttle.reset('k');
    expect([throttle.attempt('k'), throttle.attempt('k')]).toEqual([0, 0]);
    now += 3_700_000;
    expect([throttle.attempt('k'), throttle.attempt('k')]).toEqual([0, 0]);
  });

  it('counts an IPv6 network as one address', () => {
    expect(networkOf('2001:db8:1:2:3:4:5:6')).toBe(networkOf('2001:db8:1:2::9'));
    expect(networkOf('2001:db8:1:2::9')).not.toBe(networkOf('2001:db8:1:3::9'));
    expect(networkOf('::ffff:10.0.0.1')).not.toBe(networkOf('::ffff:10.0.0.2'));
    expect(networkOf('10.0.0.1')).toBe('10.0.0.1');
    expect(networkOf('::1')).toBe(networkOf('::2'));
  });

  it('is made expensive by the password hash', async () => {
    const { hashed } = await hashPassword(PASSWORD);
    const [scheme, n, r, p, salt = '', key = ''] = hashed.split('$');
    expect(scheme).toBe('scrypt');
    expect(Number(n) * Number(r) * Number(p)).toBeGreaterThanOrEqual(2 ** 19);
    expect(Buffer.from(salt, 'base64url').length).toBeGreaterThanOrEqual(16);
    expect(Buffer.from(key, 'base64url').length).toBeGreaterThanOrEqual(32);
    expect((await hashPassword(PASSWORD)).hashed).not.toBe(hashed);
    // An unknown name takes the same time.
    const shape = (text: string) => text.split('$').map((part, nth) => (nth < 4 ? part : part.length));
    expect(shape(DUMMY_HASH)).toEqual(shape(hashed));
    expect(await verifyPassword(PASSWORD, hashed)).toHaveLength(32);
    expect(await verifyPassword(`${PASSWORD} `, hashed)).toBeNull();
  });

  it('fails with an empty password and for an agent without a password', async () => {
    const store = createMemoryDocumentStore();
    const agents = createAgents(store);
    const account = createAccount(store);
    await agents.saveExternal({ id: 'host-user', name: 'Host', role: 'agent' });
    expect(await account.authenticate('host-user', '')).toEqual({ outcome: 'wrong' });
    expect(await account.authenticate('unknown', '')).toEqual({ outcome: 'wrong' });
    await expect(agents.save({ id: 'ann', name: 'Ann' }, 'eleven char')).rejects.toThrow('12 characters');
    for (const password of [
      '1qaz2wsx3edc4rfv',
      'Administrator',
      'abcabcabcabcabc',
      'aaaaaaaaaaaaaa',
      'ann.lee-1234',
    ]) {
      await expect(agents.save({ id: 'ann.lee', name: 'Ann' }, password), password).rejects.toThrow(
        'easy to guess',
      );
    }
    await expect(agents.save({ id: '../ann', name: 'Ann' }, PASSWORD)).rejects.toThrow('login name');
    await agents.save({ id: 'ann', name: 'Ann' }, '密码 🔑 correct horse'.padEnd(128, 'é'));
    await expect(agents.save({ id: 'ann', name: 'Ann' }, 'correct horse'.padEnd(129, '.'))).rejects.toThrow(
      '128',
    );
  });
});
