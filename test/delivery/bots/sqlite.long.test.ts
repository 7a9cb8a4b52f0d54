import { join } from 'node:path';
import { temporaryFolder } from '../../helpers/sqlite-store.js';
import { describeBots } from './contract.js';

const QUICK = { outbox: { minDelayMs: 20, maxDelayMs: 200 }, leaseMs: 2_000, pollMs: 50 };

describeBots('SQLite', async () => ({
  engine: 'sqlite',
  options: { ...QUICK, file: join(await temporaryFolder(), 'handoff.db') },
}));
