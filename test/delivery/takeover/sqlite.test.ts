import { join } from 'node:path';
import { temporaryFolder } from '../../helpers/sqlite-store.js';
import { describeTakeover } from './contract.js';

describeTakeover('SQLite', async () => ({
  engine: 'sqlite',
  options: { file: join(await temporaryFolder(), 'handoff.db') },
}));
