import { postgres } from '../../src/delivery/postgres/index.js';
import { postgresStore } from '../helpers/postgres.js';
import { describeSharedStore } from './shared-store.js';

describeSharedStore('PostgreSQL database', async () => {
  const { connectionString, schema } = await postgresStore();
  const backoff = { minDelayMs: 3_600_000, maxDelayMs: 3_600_000 };
  return async () => postgres({ connectionString, schema, pool: { max: 5 }, backoff });
});
