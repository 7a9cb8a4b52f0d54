import { postgresStore } from '../../helpers/postgres.js';
import { describeTakeoverAtLength } from './contract.js';

describeTakeoverAtLength('PostgreSQL', async () => {
  const { connectionString, schema } = await postgresStore();
  return { engine: 'postgres', options: { connectionString, schema } };
});
