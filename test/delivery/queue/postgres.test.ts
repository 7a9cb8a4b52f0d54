import { checkConnection } from '../../../src/delivery/postgres/database.js';
import { createPostgresEngine } from '../../../src/delivery/postgres/postgres.js';
import { createPostgresStore } from '../../helpers/postgres.js';
import { describeQueue } from './contract.js';

describeQueue('PostgreSQL', async () => {
  const { connectionString, schema, remove } = await createPostgresStore();
  return {
    connect: (settings) =>
      createPostgresEngine(checkConnection({ connectionString, schema, pool: { max: 5 } }), 20_000, {
        pollMs: 1_000,
        onError: () => undefined,
        ...settings,
      }),
    remove,
  };
});
