import { expect, it } from 'vitest';
import { postgres } from '../../src/delivery/postgres/index.js';
import { postgresStore } from '../helpers/postgres.js';
import { STORED_TREE, traceOneHandoff } from './one-handoff.js';

it('the trace of one handoff goes through the queues with PostgreSQL', async () => {
  const { connectionString, schema } = await postgresStore();
  const delivery = postgres({ connectionString, schema, pollMs: 200 });
  expect(await traceOneHandoff(STORED_TREE, delivery)).toBe(STORED_TREE);
});
