import { expect, it } from 'vitest';
import { postgres } from '../../src/delivery/postgres/index.js';
import { postgresStore } from '../helpers/postgres.js';
import { goOnline, heldBy, setRules } from './assignment-desk.js';
import { createDeskEnvironment } from './desk-environment.js';

it('two desks on one PostgreSQL database assign each conversation once, within the capacity', async () => {
  const { connectionString, schema } = await postgresStore();
  const { bench, start } = await createDeskEnvironment({
    open: async () => postgres({ connectionString, schema, pollMs: 200, pool: { max: 5 } }),
  });
  const left = await start();
  const right = await start();
  const root = await left.agent('root', 'administrator');
  const ann = await goOnline(left.url, await left.agent('ann', 'agent'));
  const bob = await goOnline(right.url, await right.agent('bob', 'agent'));
  const handoffs = await Promise.all(
    Array.from({ length: 10 }, (_, nth) => bench.requestHandoff({ user: { userId: `user ${nth}` } })),
  );
  for (const { id } of handoffs) await root.idOf(id);
  await setRules(root, { method: 'leastBusy', capacity: 4 });
  // Both processes look now.
  await Promise.all([ann, bob].map((agent) => agent.send('PUT', '/api/availability', { isAway: true })));
  await Promise.all([ann, bob].map((agent) => agent.send('PUT', '/api/availability', { isAway: false })));
  await expect.poll(() => heldBy(root), { timeout: 30_000 }).toEqual({ ann: 4, bob: 4, waiting: 2 });
  const open = (await left.audit()).filter(({ action }) => action.startsWith('assign'));
  const count = (action: string) => open.filter((line) => line.action === action).length;
  expect(count('assigned') - count('assignment taken back')).toBe(8);
}, 90_000);
