import { Client } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Database } from '../../src/delivery/postgres/database.js';
import { createHandoffStore } from '../../src/delivery/postgres/handoff-store.js';
import { openPostgresQueues } from '../../src/delivery/postgres/index.js';
import { postgresStore } from '../helpers/postgres.js';
import { fresh, link } from './contract/stage.js';

/** A store on a connection whose planner uses an index wherever there is one, and the plans that it made. */
async function explained() {
  const { connectionString, schema } = await postgresStore();
  const queues = openPostgresQueues({ connectionString, schema });
  await queues.depth('inbox');
  await queues.close();
  const client = new Client({ connectionString });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('SET enable_seqscan = off');
  const plans: string[] = [];
  const run: Database['run'] = async (sql, values) => {
    const { rows } = await client.query(`EXPLAIN ${sql}`, [...values]);
    plans.push(rows.map((row: Record<string, unknown>) => Object.values(row).join()).join('\n'));
    return (await client.query(sql, [...values])).rows as Record<string, unknown>[];
  };
  const database = { schema, run } as Database;
  return { plans, store: createHandoffStore({ database, timeoutMs: 10_000, keepContent: false }) };
}

describe('the tables of PostgreSQL', () => {
  it('are found by an index, whatever is looked for', async () => {
    const { plans, store } = await explained();
    await store.create(fresh('c'));
    await store.update('c', 1, { state: 'waiting', link: link('7') });
    expect(await store.findByLink('desk', '7')).toMatchObject({ id: 'c' });
    const after = { id: 'd', changedAt: new Date(Date.now() + 60_000) };
    for (const filter of [
      {},
      { states: ['waiting', 'closed'], adapter: 'desk' },
      { userKey: 'conversation:c', changedBefore: new Date(Date.now() + 60_000), after },
      { states: ['waiting'], after },
    ] as const)
      expect(await store.list(filter)).toHaveLength(1);
    await store.addIdempotencyKey('seen', 60_000);
    await store.hasIdempotencyKey('seen');
    await store.removeIdempotencyKey('seen');
    await store.moveCursor('desk', null, '1');
    await store.moveCursor('desk', '1', '2');
    await store.cursor('desk');
    await store.lease('poll', 'one', 60_000);
    await store.release('poll', 'one');
    await store.forget('nobody');
    await store.prune(new Date(0));
    expect(plans.length).toBeGreaterThan(15);
    for (const plan of plans) expect(plan).not.toMatch(/Seq Scan|Sort Key: .*state/);
  });
});
