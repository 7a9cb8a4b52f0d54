import { checkConnection } from '../../../src/delivery/postgres/database.js';
import { createPostgresEngine } from '../../../src/delivery/postgres/postgres.js';
import { createPostgresStore } from '../../helpers/postgres.js';
import { describeBursts } from './bursts.js';
import { describeQueue, type QueueDatabase } from './contract.js';
import { describeDatabase } from './database.js';
import { describeLostAnswers } from './lost-answers.js';

const createDatabase = async (): Promise<QueueDatabase> => {
  const store = await createPostgresStore();
  const { connectionString, schema } = store;
  return {
    connect: (settings) =>
      createPostgresEngine(checkConnection({ connectionString, schema, pool: { max: 5 } }), 20_000, {
        pollMs: 20,
        onError: () => undefined,
        ...settings,
      }),
    remove: () => store.remove(),
  };
};

describeQueue('PostgreSQL', createDatabase);
describeBursts('PostgreSQL', createDatabase);
describeDatabase('PostgreSQL', createDatabase);
describeLostAnswers('PostgreSQL', createDatabase);
