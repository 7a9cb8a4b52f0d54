import { postgresStore } from '../../helpers/postgres.js';
import { describeTakeover } from './contract.js';

describeTakeover('PostgreSQL', async () => {
  const { connectionString, schema } = await postgresStore();
  return { engine: 'postgres', options: { connectionString, schema } };
});
