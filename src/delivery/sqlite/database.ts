import { closeSync, existsSync, openSync, statSync } from 'node:fs';
import { HandoffKitError, requireOptional } from '../../internal/index.js';
import type { SqlRow, SqlStatement, SqlValue } from '../storage/sql.js';

export interface Statement {
  /** The first row. Also used for statements without rows: `run` takes twice as long in the driver for Node 20. */
  get(...values: SqlValue[]): SqlRow | undefined;
  all(...values: SqlValue[]): SqlRow[];
}

/** A connection: the interface that `node:sqlite` and `@photostructure/sqlite` share. */
export interface Connection {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

type Driver = new (file: string) => Connection;

const DRIVERS = ['node:sqlite', '@photostructure/sqlite'];
const MISSING: ReadonlySet<unknown> = new Set(['ERR_UNKNOWN_BUILTIN_MODULE', 'MODULE_NOT_FOUND']);

/** Loads the driver, or throws an error that names the package to install. */
export function loadDriver(): Driver {
  for (const name of DRIVERS) {
    try {
      const module: { DatabaseSync?: Driver } = withoutExperimentalWarning(() => requireOptional(name));
      if (module.DatabaseSync) return module.DatabaseSync;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && MISSING.has(error.code))) throw error;
    }
  }
  throw new HandoffKitError(
    'SQLITE_MISSING',
    'this version of Node has no built-in SQLite. Install a replacement with npm install @photostructure/sqlite, or use Node 22.13 or newer.',
  );
}

/**
 * Hides Node's warning that its SQLite is experimental: it would appear among log lines, which are often JSON, once
 * for each thread, and users cannot act on it.
 */
export function withoutExperimentalWarning<Result>(work: () => Result): Result {
  const emitWarning: (...warning: never[]) => void = Reflect.get(process, 'emitWarning');
  process.emitWarning = (warning: string | Error, ...rest: unknown[]): void => {
    if (!String(warning).includes('SQLite is an experimental'))
      Reflect.apply(emitWarning, process, [warning, ...rest]);
  };
  try {
    return work();
  } finally {
    Reflect.set(process, 'emitWarning', emitWarning);
  }
}

/**
 * `synchronous = FULL` makes a commit survive a power cut. A write-ahead log of 8,000 pages (32 MB) and a cache of
 * half that let pages that change often reach the database file once instead of many times.
 */
const SETTINGS = `
  PRAGMA busy_timeout = 5000;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA secure_delete = ON;
  PRAGMA wal_autocheckpoint = 8000;
  PRAGMA cache_size = -16000;
  CREATE TABLE IF NOT EXISTS schema_version (component TEXT PRIMARY KEY, version INTEGER NOT NULL)`;

/** Opens a database file, and creates it if it does not exist. */
export function openConnection(file: string): Connection {
  const DatabaseSync = loadDriver();
  let connection: Connection | undefined;
  try {
    // For its owner alone. SQLite gives the write-ahead log the same mode.
    if (file !== ':memory:' && !existsSync(file)) closeSync(openSync(file, 'a', 0o600));
    const opened = new DatabaseSync(file);
    connection = opened;
    retryWhileLocked(() => opened.exec(SETTINGS));
    return opened;
  } catch (error) {
    connection?.close();
    const reason = error instanceof Error ? error.message : 'no reason given';
    throw new HandoffKitError(
      'DATABASE_UNUSABLE',
      `cannot use ${file} as a database (${reason}). Check that its folder exists and can be written to, that the disk has room, and that the file is a database of this package.`,
      { cause: error },
    );
  }
}

const SQLITE_BUSY = 5;
const LOCKED_FOR_MS = 5_000;

/**
 * Tries again while another process holds a lock. Of two that turn a new file into one with a write-ahead log at the
 * same time, SQLite refuses one at once, whatever `busy_timeout` says.
 */
export function retryWhileLocked(work: () => void): void {
  const until = performance.now() + LOCKED_FOR_MS;
  for (;;) {
    try {
      work();
      return;
    } catch (error) {
      const isLocked = error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
      if (!isLocked || performance.now() >= until) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}

/**
 * Creates a check that an open database is still the one at its path. After the file or its write-ahead log was
 * deleted or replaced, SQLite goes on writing to the old one, which disappears when the process ends.
 */
export function createFileCheck(file: string): () => void {
  const inodes = (): string =>
    [file, `${file}-wal`].map((path) => statSync(path, { throwIfNoEntry: false })?.ino ?? 'none').join(' ');
  const opened = inodes();
  return () => {
    if (inodes() === opened) return;
    throw new HandoffKitError(
      'DATABASE_FILE_GONE',
      `${file} or its write-ahead log was deleted or replaced while this process was using it, so nothing more can be stored. Put the file back or remove the rest of it, then restart.`,
    );
  };
}

/** The most statements that stay prepared; the package has fewer different ones. */
const MAX_PREPARED = 200;

/** Runs statements, each prepared once. Parameters `$1` become `?1`, as SQLite numbers them. */
export function createStatementRunner(
  connection: Connection,
): (sql: string, values?: readonly SqlValue[]) => SqlRow[] {
  const prepared = new Map<string, Statement>();
  return (sql, values = []) => {
    let statement = prepared.get(sql);
    if (!statement) {
      if (prepared.size >= MAX_PREPARED) prepared.clear();
      statement = connection.prepare(sql.replace(/\$(\d+)/g, '?$1'));
      prepared.set(sql, statement);
    }
    return statement.all(...values);
  };
}

/** The rows of each statement, `null` if a required one returned none, or an error. */
export type TransactionResult = { readonly rows: SqlRow[][] | null } | { readonly error: string };

/**
 * Runs statements within the transaction that is under way: all of them, or none. Throws when a failure ended that
 * transaction, as a full disk can.
 */
export function createTransactionRunner(
  connection: Connection,
): (statements: readonly SqlStatement[]) => TransactionResult {
  const run = createStatementRunner(connection);
  return (statements) => {
    connection.exec('SAVEPOINT statements');
    try {
      const results: SqlRow[][] = [];
      for (const { sql, values, required = false } of statements) {
        const rows = run(sql, values);
        if (required && rows.length === 0) {
          connection.exec('ROLLBACK TO statements; RELEASE statements');
          return { rows: null };
        }
        results.push(rows);
      }
      connection.exec('RELEASE statements');
      return { rows: results };
    } catch (error) {
      if (!rollBack(connection, 'ROLLBACK TO statements; RELEASE statements')) throw error;
      return { error: error instanceof Error ? error.message : String(error) };
    }
  };
}

/** Rolls a transaction back. `false`: the failure has ended it already. */
export function rollBack(connection: Connection, sql = 'ROLLBACK'): boolean {
  try {
    connection.exec(sql);
    return true;
  } catch {
    return false;
  }
}
