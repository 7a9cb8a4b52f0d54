import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Delivery, OpenDatabase } from '../delivery/index.js';
import { configError, HandoffKitError } from '../internal/index.js';
import { SettingsError } from './settings-error.js';
import type { Settings } from './settings-schema.js';
import { readConfigFile } from './settings-sources.js';
import { SETTINGS } from './settings-table.js';

/** The database that `DATABASE_URL` names. */
export type DatabaseChoice =
  | { readonly kind: 'none' }
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'postgres'; readonly url: string };

/** The value of `DATABASE_URL` when it is not set. */
export const DEFAULT_DATABASE_URL = 'sqlite:./handoff.db';

const CHOICES =
  'DATABASE_URL must be sqlite:<file>, postgres://<user>:<password>@<host>/<database>, or none, which stores nothing.';
const SQLITE_FILE =
  'DATABASE_URL must name a file right after "sqlite:", such as sqlite:./handoff.db or sqlite:/var/lib/handoff.db.';
const POSTGRES_URL =
  'DATABASE_URL is no URL that can be read. Write special characters of the user and password as %23 and so on.';

/** Parses `DATABASE_URL`. Error messages never quote the value, which may hold a password. */
export function parseDatabaseUrl(text: string): DatabaseChoice {
  if (text === 'none' || text === 'memory:') return { kind: 'none' };
  if (text.startsWith('sqlite:')) return { kind: 'sqlite', file: sqliteFile(text.slice('sqlite:'.length)) };
  if (!/^postgres(ql)?:\/\//.test(text)) throw configError(CHOICES);
  if (!URL.canParse(text)) throw configError(POSTGRES_URL);
  return { kind: 'postgres', url: text };
}

/** Refuses slashes whose meaning differs from tool to tool, and `:memory:`, which would store nothing. */
function sqliteFile(file: string): string {
  if (file.trim() === '' || file.startsWith('//') || file.startsWith(':')) throw configError(SQLITE_FILE);
  return resolve(file);
}

/** Describes a database without user, password and parameters. */
export function describeDatabase(choice: DatabaseChoice): string {
  if (choice.kind === 'none') return 'none';
  if (choice.kind === 'sqlite') return choice.file;
  const { host, pathname } = new URL(choice.url);
  return `postgres://${host}${pathname}`;
}

/** The sources of `DATABASE_URL` for a command other than `serve`. */
export interface DatabaseSources {
  /** The value of the flag or of the environment; it overrides the file. */
  readonly databaseUrl?: string | undefined;
  /** The path of the server's config file. */
  readonly configFile?: string | undefined;
}

/** Finds the database of a server with the same settings. Other problems of the config file are ignored. */
export function chooseDatabase({ databaseUrl, configFile }: DatabaseSources): DatabaseChoice {
  if (databaseUrl !== undefined) return parseDatabaseUrl(databaseUrl);
  if (configFile === undefined) return parseDatabaseUrl(DEFAULT_DATABASE_URL);
  const { values, problems, readable } = readConfigFile(configFile);
  const relevant = problems.filter(({ setting }) => !readable || setting === SETTINGS.databaseUrl.env);
  if (relevant.length > 0) throw new SettingsError(relevant);
  return parseDatabaseUrl(values.databaseUrl ?? DEFAULT_DATABASE_URL);
}

/** Settings of durable delivery; the engine has defaults for all of them. */
export type StorageSettings = Partial<
  Pick<Settings, 'concurrency' | 'maxAttempts' | 'rememberDays' | 'whenUnknown'>
>;

/** Opens durable delivery on a database; `null` for `none`. Loads only the engine in use. */
export async function openDelivery(
  choice: DatabaseChoice,
  settings: StorageSettings = {},
): Promise<Delivery | null> {
  if (choice.kind === 'none') return null;
  const options = deliveryOptions(settings);
  if (choice.kind === 'postgres') {
    const { postgres } = await import('../delivery/postgres/index.js');
    return postgres({ ...options, connectionString: choice.url });
  }
  const { sqlite } = await import('../delivery/sqlite/index.js');
  return openSqliteFile(() => sqlite({ ...options, file: choice.file }));
}

const DAY_MS = 86_400_000;

const deliveryOptions = ({ concurrency, maxAttempts, rememberDays, whenUnknown }: StorageSettings) => ({
  ...(concurrency !== undefined && { concurrency }),
  ...(maxAttempts !== undefined && { maxAttempts }),
  ...(rememberDays !== undefined && { rememberMs: rememberDays * DAY_MS }),
  ...(whenUnknown !== undefined && { outbox: { whenUnknown } }),
});

/** Opens a database. A receiver may use it at the same time. `create` allows a new SQLite file. */
export async function openDatabase(
  choice: DatabaseChoice,
  { create }: { readonly create: boolean },
): Promise<OpenDatabase> {
  if (choice.kind === 'none') {
    throw configError(
      'DATABASE_URL is none: nothing is stored, so there is nothing to open. Name a database.',
    );
  }
  if (choice.kind === 'postgres') {
    const { openPostgresDatabase } = await import('../delivery/postgres/index.js');
    return openPostgresDatabase(choice.url);
  }
  if (!create) requireFile(choice);
  const { openSqliteDatabase } = await import('../delivery/sqlite/index.js');
  return openSqliteFile(() => openSqliteDatabase(choice.file));
}

/** Opening a missing file would create an empty database and hide a wrong path. */
export function requireFile(choice: Extract<DatabaseChoice, { readonly kind: 'sqlite' }>): void {
  if (existsSync(choice.file)) return;
  throw configError(
    `there is no database at ${describeDatabase(choice)}. Give the DATABASE_URL of the server; a relative path begins at the folder where the server was started.`,
  );
}

/** Adds to the error of a missing SQLite driver that DATABASE_URL=none works without it. */
async function openSqliteFile<Opened>(open: () => Opened | Promise<Opened>): Promise<Opened> {
  try {
    return await open();
  } catch (error) {
    if (!(error instanceof HandoffKitError) || error.code !== 'SQLITE_MISSING') throw error;
    const message = `cannot keep events: ${error.message} DATABASE_URL=none stores nothing and needs neither.`;
    throw new HandoffKitError(error.code, message, { cause: error });
  }
}
