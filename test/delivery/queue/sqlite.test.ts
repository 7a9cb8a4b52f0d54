import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createSqliteEngine } from '../../../src/delivery/sqlite/sqlite.js';
import { DATABASES_FOLDER } from '../../helpers/databases-folder.js';
import { describeBursts } from './bursts.js';
import { describeQueue, type QueueDatabase } from './contract.js';
import { describeDatabase } from './database.js';
import { describeLostAnswers } from './lost-answers.js';

const createDatabase = async (): Promise<QueueDatabase> => {
  const folder = await mkdtemp(join(DATABASES_FOLDER, 'handoff-kit-'));
  return {
    connect: (settings) =>
      createSqliteEngine(
        join(folder, 'handoff.db'),
        { pollMs: 20, onError: () => undefined, ...settings },
        null,
      ),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
};

describeQueue('SQLite', createDatabase);
describeBursts('SQLite', createDatabase);
describeDatabase('SQLite', createDatabase);
describeLostAnswers('SQLite', createDatabase);
