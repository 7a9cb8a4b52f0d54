import { createRequire } from 'node:module';
import type { PgBoss } from 'pg-boss';
import { HandoffKitError } from '../../internal/index.js';

/** Refuses at once where pg-boss is not installed, so that this shows at the start and not at the first event. */
export function checkBossInstalled(): void {
  try {
    createRequire(import.meta.url).resolve('pg-boss');
  } catch (error) {
    throw new HandoffKitError(
      'PG_BOSS_MISSING',
      'keeping events in PostgreSQL needs the package pg-boss. Install it: npm install pg-boss@12',
      { cause: error },
    );
  }
}

/** Loads pg-boss, which only those need who use PostgreSQL. */
export async function loadBoss(): Promise<typeof PgBoss> {
  checkBossInstalled();
  const { PgBoss: Boss } = await import('pg-boss');
  return Boss;
}
