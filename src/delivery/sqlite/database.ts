import { createRequire } from 'node:module';
import { HandoffKitError } from '../../internal/index.js';
import { withoutSqliteWarning } from './driver-warning.js';
import { placeOf } from './hash.js';
import { MIGRATIONS } from './migrations.js';

/** A value that SQLite stores. */
export type SqlValue = string | number | null | Uint8Array;
/** A row of a result. */
export type Row = Record<string, SqlValue | bigint | Uint8Array>;

/** A prepared statement. */
export interface Statement {
  run(...values: SqlValue[]): { changes: number | bigint; lastInsertRowid: number | bigint };
  /** The first row. Also for what is written and tells nothing: it takes half the time of `run`. */
  get(...values: SqlValue[]): Row | undefined;
  all(...values: SqlValue[]): Row[];
}

/** A database, as Node's own module and the package that stands in for it both have it. */
export interface Database {
  exec(sql: string): void;
  /** Makes a function that statements can use. */
  function(name: string, run: (lane: string, key: string) => number): void;
  prepare(sql: string): Statement;
  close(): void;
}

type Driver = new (file: string) => Database;

const DRIVERS = ['node:sqlite', '@photostructure/sqlite'];
const MISSING: ReadonlySet<unknown> = new Set(['ERR_UNKNOWN_BUILTIN_MODULE', 'MODULE_NOT_FOUND']);

function loadDriver(): Driver {
  const require = createRequire(import.meta.url);
  for (const name of DRIVERS) {
    try {
      const module: { DatabaseSync?: Driver } = withoutSqliteWarning(() => require(name));
      if (module.DatabaseSync) return module.DatabaseSync;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && MISSING.has(error.code))) throw error;
    }
  }
  throw new HandoffKitError(
    'SQLITE_MISSING',
    'this version of Node has no SQLite of its own. Install the package that stands in for it, npm install @photostructure/sqlite, or use Node 22.13 or newer.',
  );
}

/**
 * What holds for every connection. The log is brought into the file when it has grown to 32 MB, and half as much of
 * the file is kept in memory: pages that are written again and again are then written to the file once.
 */
const SETTINGS = `
  PRAGMA busy_timeout = 5000;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA secure_delete = ON;
  PRAGMA wal_autocheckpoint = 8000;
  PRAGMA cache_size = -16000`;

/** Opens a file and brings its tables up to date. What is committed to it survives a power cut. */
export function openDatabase(file: string): Database {
  const DatabaseSync = loadDriver();
  let database: Database | undefined;
  try {
    database = new DatabaseSync(file);
    database.exec(SETTINGS);
    migrate(database);
    return database;
  } catch (error) {
    database?.close();
    throw error instanceof HandoffKitError ? error : unusable(file, error);
  }
}

function unusable(file: string, error: unknown): HandoffKitError {
  const why = error instanceof Error ? error.message : 'no reason given';
  return new HandoffKitError(
    'DATABASE_UNUSABLE',
    `cannot use ${file} as a database (${why}). Check that its folder exists and can be written to, that the disk has room, and that the file is a database of this package.`,
    { cause: error },
  );
}

function migrate(database: Database): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    const version = Number(database.prepare('PRAGMA user_version').get()?.user_version);
    if (version > MIGRATIONS.length) {
      throw new HandoffKitError(
        'DATABASE_TOO_NEW',
        'the database was written by a newer version of this package. Update the package, or use another file.',
      );
    }
    if (version < MIGRATIONS.length) database.function('place', placeOf);
    for (const sql of MIGRATIONS.slice(version)) database.exec(sql);
    database.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
    database.exec('COMMIT');
  } catch (error) {
    rollBack(database);
    throw error;
  }
}

/** Undoes a transaction, if there still is one. */
export function rollBack(database: Database): void {
  try {
    database.exec('ROLLBACK');
  } catch {
    // The transaction never began, or the failure has ended it.
  }
}
