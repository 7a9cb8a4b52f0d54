import type { OpenShelf } from '../shelf.js';
import { checkConnection } from './connection.js';
import { openDatabase } from './database.js';
import { checkBossInstalled } from './load-boss.js';
import { createShelf } from './shelf.js';
import { createSignals } from './signals.js';

/** Looking after a shelf by hand may take its time. */
const TIMEOUT_MS = 60_000;

/** Opens the shelf of a database by itself, also while receivers are at work on it. */
export function openPostgresShelf(connectionString: string): OpenShelf {
  checkBossInstalled();
  const ignore = (): void => {};
  const database = openDatabase({ connection: checkConnection({ connectionString }), onTrouble: ignore });
  const signals = createSignals(database, ignore);
  return {
    shelf: createShelf({ database, timeoutMs: TIMEOUT_MS, tell: () => signals.send('shelf') }),
    async close() {
      await signals.stop();
      await database.close();
    },
  };
}
