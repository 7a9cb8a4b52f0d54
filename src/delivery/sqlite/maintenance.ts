import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { configError, HandoffKitError } from '../../internal/index.js';
import { type Connection, loadDriver, openConnection } from './database.js';

/** The files of a database: itself, its write-ahead log and the index of that log. */
const filesOf = (file: string): string[] => [file, `${file}-wal`, `${file}-shm`];

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/**
 * Copies a database into a new file, which only its owner can read. Receivers may go on writing: the copy is the
 * database as it was when the copying began. It is complete and checked when it appears under its name.
 *
 * @returns the size of the copy in bytes
 * @example
 * backUpSqlite('./handoff.db', './backups/2026-01-31.db');
 */
export function backUpSqlite(file: string, copy: string): number {
  if (existsSync(copy)) throw configError(`there is a file at ${copy} already. Name a new one.`);
  const partial = `${copy}.partial`;
  let isOurs = false;
  try {
    closeSync(openSync(partial, 'wx', 0o600));
    isOurs = true;
    use(file, (connection) => void connection.prepare('VACUUM INTO ?').all(partial));
    // Opened as it is: with a write-ahead log, the copy would have further files.
    const [damage] = use(partial, findDamage, (path) => new (loadDriver())(path));
    if (damage !== undefined) throw damaged(file, damage);
    sync(partial);
    renameSync(partial, copy);
    sync(dirname(copy));
  } catch (error) {
    if (isOurs) rmSync(partial, { force: true });
    throw error instanceof HandoffKitError ? error : notCopied(error, file, copy);
  }
  return sizeOf(copy);
}

function notCopied(cause: unknown, file: string, copy: string): HandoffKitError {
  if (cause instanceof Error && 'code' in cause && cause.code === 'EEXIST') {
    return configError(
      `there is a file at ${copy}.partial: another backup is running, or one was interrupted. Wait for it, or remove the file.`,
    );
  }
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new HandoffKitError(
    'DATABASE_UNUSABLE',
    `cannot copy ${file} to ${copy} (${reason}). Check that the folder exists and can be written to, and that the disk has room.`,
    { cause },
  );
}

/** The state of a database file. */
export interface SqliteReport {
  /** What is wrong, as sentences; empty for a sound file. */
  readonly problems: readonly string[];
  /** The size of the file in bytes. */
  readonly bytes: number;
  /** The part of it that holds no data, which compacting gives back. */
  readonly freeBytes: number;
  /** The size of the write-ahead log in bytes. */
  readonly logBytes: number;
}

/**
 * Reads the whole file and checks that it is sound, and that only its owner can read it. Receivers may go on writing.
 *
 * @example
 * const { problems } = checkSqlite('./handoff.db');
 */
export function checkSqlite(file: string): SqliteReport {
  return use(file, (connection) => {
    const value = (pragma: string): number =>
      Number(Object.values(connection.prepare(`PRAGMA ${pragma}`).get() ?? {})[0]);
    const damage = findDamage(connection).map(
      (line) => `The file is damaged: ${line}. Stop the receivers, keep the file, and restore a backup.`,
    );
    return {
      problems: [...damage, ...filesOf(file).flatMap(openToOthers)],
      bytes: value('page_count') * value('page_size'),
      freeBytes: value('freelist_count') * value('page_size'),
      logBytes: sizeOf(`${file}-wal`),
    };
  });
}

/**
 * Rewrites a database without its free space. It needs room for a second copy. Receivers may run, but cannot store
 * anything meanwhile: they answer 503 when that takes longer than five seconds.
 *
 * @returns the sizes of file and write-ahead log together, before and after, in bytes
 * @example
 * const { before, after } = compactSqlite('./handoff.db');
 */
export function compactSqlite(file: string): { readonly before: number; readonly after: number } {
  const size = (): number => sizeOf(file) + sizeOf(`${file}-wal`);
  return use(file, (connection) => {
    const before = size();
    // Without ANALYZE: statistics of a queue are outdated at once, and would mislead the choice of an index.
    connection.exec('VACUUM');
    connection.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all();
    return { before, after: size() };
  });
}

function use<Result>(
  file: string,
  work: (connection: Connection) => Result,
  open: (file: string) => Connection = openConnection,
): Result {
  const connection = open(file);
  try {
    return work(connection);
  } finally {
    connection.close();
  }
}

/** The most lines of damage that are reported. */
const MAX_DAMAGE = 20;

function findDamage(connection: Connection): string[] {
  const rows = connection.prepare(`PRAGMA integrity_check(${MAX_DAMAGE})`).all();
  return rows.map((row) => String(Object.values(row)[0])).filter((line) => line !== 'ok');
}

const damaged = (file: string, line: string): HandoffKitError =>
  new HandoffKitError(
    'DATABASE_UNUSABLE',
    `${file} is damaged (${line}), so there is no backup of it. Stop the receivers, keep the file, and restore an older backup.`,
  );

function openToOthers(file: string): string[] {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & 0o077) === 0 || process.platform === 'win32') return [];
  return [
    `Other users of this machine can open ${file}, which holds what users write. Run: chmod 600 ${file}`,
  ];
}

/** Makes a file, or the names in a folder, survive a power cut. */
function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
