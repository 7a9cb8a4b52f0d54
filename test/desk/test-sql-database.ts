import { createRequire } from 'node:module';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { SqlDatabase, SqlRow, SqlStatement, SqlValue } from '../../src/delivery/index.js';
import { temporaryFolder } from '../helpers/sqlite-store.js';

interface Driver {
  exec(sql: string): void;
  prepare(sql: string): { all(...values: SqlValue[]): SqlRow[] };
  close(): void;
}

const { DatabaseSync } = createRequire(import.meta.url)('@photostructure/sqlite') as {
  DatabaseSync: new (file: string) => Driver;
};

/** A {@link SqlDatabase} on a SQLite file, for tests of stores. Subscribers poll. */
export interface TestSqlDatabase extends SqlDatabase {
  /** Runs the hooks of `onForget`. */
  forget(conversationIds: readonly string[]): Promise<void>;
  /** Lets the next call of `migrate` fail. */
  failNextMigration(error: Error): void;
}

/** Gives a function that opens the same file again and again, as several processes would. */
export async function testDatabaseFile(): Promise<() => TestSqlDatabase> {
  const file = join(await temporaryFolder(), 'desk.db');
  return () => openTestDatabase(file);
}

function openTestDatabase(file: string): TestSqlDatabase {
  const driver = new DatabaseSync(file);
  driver.exec('PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL');
  onTestFinished(() => driver.close());
  const hooks: ((conversationIds: readonly string[]) => Promise<void>)[] = [];
  let migrationError: Error | null = null;

  const run = ({ sql, values = [] }: SqlStatement): SqlRow[] =>
    driver.prepare(sql.replace(/\$(\d+)/g, '?$1')).all(...values);

  const transaction = (statements: readonly SqlStatement[]): SqlRow[][] | null => {
    driver.exec('BEGIN IMMEDIATE');
    try {
      const results: SqlRow[][] = [];
      for (const statement of statements) {
        const rows = run(statement);
        if (statement.required && rows.length === 0) {
          driver.exec('ROLLBACK');
          return null;
        }
        results.push(rows);
      }
      driver.exec('COMMIT');
      return results;
    } catch (error) {
      driver.exec('ROLLBACK');
      throw error;
    }
  };

  return {
    dialect: 'sqlite',
    receiverName: () => null,
    now: "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
    table: (name) => name,
    list: (parameter) => `(SELECT value FROM json_each(${parameter}))`,
    read: async (sql, values = []) => run({ sql, values }),
    write: async (sql, values = []) => run({ sql, values }),
    transaction: async (statements) => transaction(statements),
    async migrate(component, migrations) {
      const error = migrationError;
      migrationError = null;
      if (error) throw error;
      driver.exec('CREATE TABLE IF NOT EXISTS migrated (component TEXT PRIMARY KEY, version INTEGER)');
      const [row] = run({ sql: 'SELECT version FROM migrated WHERE component = $1', values: [component] });
      const pending = migrations.slice(Number(row?.version ?? 0)).flat();
      if (pending.length === 0) return;
      transaction([
        ...pending.map((sql) => ({ sql })),
        { sql: 'REPLACE INTO migrated VALUES ($1, $2)', values: [component, migrations.length] },
      ]);
    },
    publish() {},
    subscribe(_topic, listener) {
      const timer = setInterval(listener, 20);
      onTestFinished(() => clearInterval(timer));
      return () => clearInterval(timer);
    },
    onForget: (hook) => void hooks.push(hook),
    async forget(conversationIds) {
      for (const hook of hooks) await hook(conversationIds);
    },
    failNextMigration(error) {
      migrationError = error;
    },
  };
}
