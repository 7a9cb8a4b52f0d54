import { expect, it } from 'vitest';
import { postgres } from '../../src/delivery/postgres/index.js';
import type { DashboardView } from '../../src/desk/api.js';
import { postgresStore } from '../helpers/postgres.js';
import { clientOf, eventually, listen, statusesOf } from './agent-client.js';
import { createDeskEnvironment } from './desk-environment.js';

/** Two desks on one database. */
async function twoDesks({ giveUpAfterMs = 3_600_000 } = {}) {
  const { connectionString, schema } = await postgresStore();
  const quick = { minDelayMs: 20, maxDelayMs: 100 };
  const { bench, start } = await createDeskEnvironment({
    open: async () =>
      postgres({
        connectionString,
        schema,
        pollMs: 200,
        pool: { max: 5 },
        backoff: quick,
        outbox: { ...quick, giveUpAfterMs },
      }),
  });
  const left = await start();
  const right = await start();
  return { bench, start, left, right, ann: await left.agent('ann'), bob: await right.agent('bob') };
}

it('shows updates at two desks on one PostgreSQL database, once and in order', async () => {
  const { bench, start, left, right, ann, bob } = await twoDesks();
  const seen = await Promise.all([
    listen(left.url, ann.cookie, { after: 0 }),
    listen(right.url, bob.cookie, { after: 0 }),
  ]);
  const handoff = await bench.requestHandoff();
  const id = await ann.idOf(handoff.id);
  const claims = await Promise.all([ann.act(id, 'claim', {}), bob.act(id, 'claim', {})]);
  expect(statusesOf(claims)).toEqual([200, 409]);
  const owner = claims[0]?.status === 200 ? ann : bob;
  await bench.say('Odd \u0000 bytes');
  bench.faults.set('answerError');
  const messageId = await owner.say(id, 'Stored \u0000 meanwhile.');
  await eventually(async () => expect(await ann.deliveries(id, messageId)).toEqual(['stored']));
  bench.faults.clear();
  await bench.nextReply({ timeoutMs: 20_000 });
  await eventually(async () => expect(await bob.deliveries(id, messageId)).toEqual(['stored', 'sent']));
  const { entries } = await ann.conversation(id);
  for (const stream of seen) {
    await eventually(() =>
      expect(stream.entries.map(({ seq }) => seq)).toEqual(entries.map(({ seq }) => seq)),
    );
    stream.close();
  }
  await left.stop();
  await right.stop();
  const third = await start();
  const again = await clientOf(third.url, owner.cookie);
  await again.say(id, 'After the restart.');
  expect((await bench.nextReply({ timeoutMs: 20_000 })).text).toBe('After the restart.');
});

it('retries a dead letter in PostgreSQL from another desk', async () => {
  const { bench, ann, bob } = await twoDesks({ giveUpAfterMs: 1 });
  const handoff = await bench.requestHandoff({ user: { userId: 'user-1' } });
  const id = await ann.idOf(handoff.id);
  bench.faults.set('answerError');
  const first = await ann.say(id, 'Dead letter.');
  await eventually(async () => expect((await ann.deliveries(id, first)).at(-1)).toBe('failed'));
  bench.faults.clear();
  const [item] = (await bob.get<DashboardView>('/api/dashboard')).body.dead;
  expect((await bob.send('POST', `/api/dead/outbox/${item?.id}/retry`, {})).status).toBe(204);
  expect((await bench.nextReply({ timeoutMs: 20_000 })).text).toBe('Dead letter.');
  await eventually(async () => expect((await ann.deliveries(id, first)).at(-1)).toBe('sent'));
  expect(bench.replies).toHaveLength(1);
});
