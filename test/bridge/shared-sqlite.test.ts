import { join } from 'node:path';
import { temporaryFolder } from '../helpers/sqlite-store.js';
import { sqliteDelivery } from './setup.js';
import { describeSharedStore } from './shared-store.js';

describeSharedStore('SQLite file', async () => {
  const file = join(await temporaryFolder(), 'handoff.db');
  return () => sqliteDelivery({ file, backoff: { minDelayMs: 3_600_000, maxDelayMs: 3_600_000 } });
});
