import { postgresStore } from '../../helpers/postgres.js';
import { describeBots } from './contract.js';

const QUICK = { outbox: { minDelayMs: 20, maxDelayMs: 200 }, leaseMs: 2_000, pollMs: 100 };

describeBots('PostgreSQL', async () => {
  const { connectionString, schema } = await postgresStore();
  return { engine: 'postgres', options: { ...QUICK, connectionString, schema, pool: { max: 5 } } };
});
