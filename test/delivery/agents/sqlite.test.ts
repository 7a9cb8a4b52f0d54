import { join } from 'node:path';
import { temporaryFolder } from '../../helpers/sqlite-store.js';
import { describeAgents } from './contract.js';

const QUICK = { outbox: { minDelayMs: 20, maxDelayMs: 200 }, leaseMs: 2_000, pollMs: 50 };

describeAgents('SQLite', async () => ({
  engine: 'sqlite',
  options: { ...QUICK, file: join(await temporaryFolder(), 'handoff.db') },
}));
