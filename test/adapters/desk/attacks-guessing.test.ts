import { describe, expect, it } from 'vitest';
import { createAgents } from '../../../src/adapters/desk/agents/agents.js';
import { hashPassword, NOBODYS_HASH, verifyPassword } from '../../../src/adapters/desk/agents/password.js';
import { createThrottle, sourceOf } from '../../../src/adapters/desk/agents/throttle.js';
import { createMemoryShelf } from '../../../src/delivery/index.js';
import { postLogin } from './agent-client.js';
import { PASSWORD, world } from './world.js';

describe('guessing passwords', () => {
  it('is slowed down for a name, also when many are tried at once', async () => {
    const { start } = await world();
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

  it('is slowed down for an address, whatever the names', async () => {
    const { start } = await world();
    const { url } = await start({ trustProxy: true });
    const guess = (nth: number, from: string) =>
      postLogin(url, { name: `name${nth}`, password: 'x' }, { 'x-forwarded-for': from });
    const statuses: number[] = [];
    for (let nth = 0; nth < 22; nth += 1) statuses.push((await guess(nth, '203.0.113.7')).status);
    expect(statuses.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 401));
    expect(statuses.slice(20)).toContain(429);
    expect((await guess(99, '203.0.113.8')).status).toBe(401);
  }, 120_000);

  it('waits longer each time, and forgets', () => {
    let now = 0;
    const throttle = createThrottle({ free: 3, longestMs: 20_000, now: () => now });
    const waits = Array.from({ length: 7 }, () => {
      expect(throttle.begin('k')).toBe(0);
      const wait = throttle.begin('k');
      now += wait;
      return wait;
    });
    // The second try of the first pair is free too.
    expect(waits).toEqual([0, 5_000, 10_000, 20_000, 20_000, 20_000, 20_000]);
    // All at once are no way round: each counts when it begins.
    const many = Array.from({ length: 9 }, () => throttle.begin('other'));
    expect(many.filter((wait) => wait === 0)).toHaveLength(3);
    throttle.forget('k');
    expect([throttle.begin('k'), throttle.begin('k')]).toEqual([0, 0]);
    now += 3_700_000;
    expect([throttle.begin('k'), throttle.begin('k')]).toEqual([0, 0]);
  });

  it('counts a network of IPv6 as one address', () => {
    expect(sourceOf('2001:db8:1:2:3:4:5:6')).toBe(sourceOf('2001:db8:1:2::9'));
    expect(sourceOf('2001:db8:1:2::9')).not.toBe(sourceOf('2001:db8:1:3::9'));
    expect(sourceOf('::ffff:10.0.0.1')).not.toBe(sourceOf('::ffff:10.0.0.2'));
    expect(sourceOf('10.0.0.1')).toBe('10.0.0.1');
    expect(sourceOf('::1')).toBe(sourceOf('::2'));
  });

  it('is made costly by how passwords are kept', async () => {
    const hashed = await hashPassword(PASSWORD);
    const [scheme, n, r, p, salt = '', key = ''] = hashed.split('$');
    expect(scheme).toBe('scrypt');
    expect(Number(n) * Number(r) * Number(p)).toBeGreaterThanOrEqual(2 ** 17);
    expect(Buffer.from(salt, 'base64url').length).toBeGreaterThanOrEqual(16);
    expect(Buffer.from(key, 'base64url').length).toBeGreaterThanOrEqual(32);
    expect(await hashPassword(PASSWORD)).not.toBe(hashed);
    // A name that nobody has costs as much.
    const shape = (text: string) => text.split('$').map((part, nth) => (nth < 4 ? part : part.length));
    expect(shape(NOBODYS_HASH)).toEqual(shape(hashed));
    expect(await verifyPassword(PASSWORD, hashed)).toBe(true);
    expect(await verifyPassword(`${PASSWORD} `, hashed)).toBe(false);
  });

  it('lets nobody in by an empty password, by a name without one, or by a short one', async () => {
    const agents = createAgents(createMemoryShelf());
    await agents.note({ id: 'host-user', name: 'Host' });
    expect(await agents.judge('host-user', '')).toBeNull();
    expect(await agents.judge('nobody', '')).toBeNull();
    await expect(agents.save({ id: 'ann', name: 'Ann' }, 'short')).rejects.toThrow('10 characters');
    await expect(agents.save({ id: '../ann', name: 'Ann' }, PASSWORD)).rejects.toThrow('login name');
  });
});
