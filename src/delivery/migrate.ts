import { HandoffKitError } from '../internal/index.js';
import type { SqlDatabase } from './sql.js';

/** Several processes may migrate at once; each lost race means that another one made a step. */
const MOST_RACES = 100;

/** Runs the migrations of a component that have not run yet. Needs the table `schema_version`. */
export async function runMigrations(
  database: Pick<SqlDatabase, 'read' | 'write' | 'transaction' | 'table'>,
  component: string,
  migrations: readonly (readonly string[])[],
): Promise<void> {
  const versions = database.table('schema_version');
  for (let races = 0; races < MOST_RACES; races += 1) {
    const [row] = await database.read(`SELECT version FROM ${versions} WHERE component = $1`, [component]);
    const version = Number(row?.version ?? 0);
    if (version === migrations.length) return;
    if (version > migrations.length) throw tooNew(component);
    if (!row) {
      await database.write(
        `INSERT INTO ${versions} (component, version) VALUES ($1, 0) ON CONFLICT DO NOTHING`,
        [component],
      );
    }
    const statements = migrations[version] ?? [];
    // The version is compared and set first: it locks the row until the migration is committed.
    await database.transaction([
      {
        sql: `UPDATE ${versions} SET version = $2 + 1 WHERE component = $1 AND version = $2 RETURNING version`,
        values: [component, version],
        required: true,
      },
      ...statements.map((sql) => ({ sql })),
    ]);
  }
  throw new HandoffKitError(
    'DATABASE_UNUSABLE',
    `the tables of ${component} could not be brought up to date.`,
  );
}

const tooNew = (component: string): HandoffKitError =>
  new HandoffKitError(
    'DATABASE_TOO_NEW',
    `the database was written by a newer version of this package (${component}). Update the package, or use another database.`,
  );
