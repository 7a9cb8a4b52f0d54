import { Client } from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { createPostgresEngine } from '../../../src/delivery/postgres/postgres.js';
import { createPostgresStore, type PostgresStore } from '../../helpers/postgres.js';
import { AN_HOUR, eventually } from '../contract/stage.js';
import { describeBursts } from './bursts.js';
import { describeQueue, type QueueDatabase } from './contract.js';
import { describeDatabase } from './database.js';
import { describeLostAnswers } from './lost-answers.js';

const connectTo = (
  { connectionString, schema }: PostgresStore,
  settings: Parameters<QueueDatabase['connect']>[0],
) =>
  createPostgresEngine({ connectionString, schema, pool: { max: 5 } }, 20_000, {
    pollMs: 20,
    onError: () => undefined,
    ...settings,
  });

const createDatabase = async (): Promise<QueueDatabase> => {
  const store = await createPostgresStore();
  return { connect: (settings) => connectTo(store, settings), remove: () => store.remove() };
};

describeQueue('PostgreSQL', createDatabase);
describeBursts('PostgreSQL', createDatabase);
describeDatabase('PostgreSQL', createDatabase);
describeLostAnswers('PostgreSQL', createDatabase);

it('a reply is refused if its event is being reclaimed while it is added', async () => {
  const store = await createPostgresStore();
  const engine = connectTo(store, { leaseMs: AN_HOUR, keepContent: false });
  const other = new Client({ connectionString: store.connectionString });
  onTestFinished(async () => {
    await other.end();
    await engine.close();
    await store.remove();
  });
  await engine.open();
  const job = { conversation: 'c', type: 'message', content: '{}' };
  await engine.queue('inbox').add({ ...job, key: 'event' }, 1);

  // The reclaim of another process, which has not committed yet.
  await other.connect();
  await other.query('BEGIN');
  await other.query(`UPDATE ${store.schema}.head SET owner = NULL, claim = NULL`);
  let isSettled = false;
  const onBehalfOf = { queue: 'inbox', conversation: 'c', claim: 1 };
  const added = engine
    .queue('outbox')
    .add({ ...job, key: 'reply', onBehalfOf }, null)
    .finally(() => {
      isSettled = true;
    });
  const waitsForOther = 'SELECT pid FROM pg_locks WHERE pg_backend_pid() = ANY(pg_blocking_pids(pid))';
  await eventually(async () =>
    expect(isSettled || (await other.query(waitsForOther)).rows.length > 0).toBe(true),
  );
  await other.query('COMMIT');
  expect(await added).toMatchObject({ isRefused: true });
});
