import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSqliteEngine } from '../../../src/delivery/sqlite/sqlite.js';
import { describeQueue } from './contract.js';

describeQueue('SQLite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'handoff-kit-'));
  return {
    connect: (settings) =>
      createSqliteEngine(
        join(folder, 'handoff.db'),
        { pollMs: 1_000, onError: () => undefined, ...settings },
        null,
      ),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
});
