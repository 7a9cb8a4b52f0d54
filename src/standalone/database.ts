import { existsSync } from 'node:fs';
import type { Delivery, OpenDatabase } from '../delivery/index.js';
import { configError, HandoffKitError } from '../internal/index.js';
import { type DatabaseChoice, DEFAULT_DATABASE_URL } from './settings/setting-forms.js';
import { type Settings, settingsSchema } from './settings/settings-schema.js';
import { readConfigFile, SettingsError } from './settings/settings-sources.js';

/** Parses `DATABASE_URL`. Error messages never quote the value, which may hold a password. */
export function parseDatabaseUrl(text: string): DatabaseChoice {
  const { data, error } = settingsSchema.shape.databaseUrl.safeParse(text);
  if (data) return data;
  throw configError(`DATABASE_URL ${error?.issues[0]?.message}`);
}

/** Describes a database without user, password and parameters. */
export function describeDatabase(choice: DatabaseChoice): string {
  if (choice.kind === 'none') return 'none';
  if (choice.kind === 'sqlite') return choice.file;
  // Not parsed as a URL, which has only one host.
  const [, hosts = '', path = ''] = /^\w+:\/\/(?:[^@/]*@)?([^/?]*)([^?]*)/.exec(choice.url) ?? [];
  return `postgres://${hosts}${path}`;
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
  const { texts, problems, readable } = readConfigFile(configFile);
  const relevant = problems.filter(({ setting }) => !readable || setting === 'DATABASE_URL');
  if (relevant.length > 0) throw new SettingsError(relevant);
  return parseDatabaseUrl(texts.DATABASE_URL ?? DEFAULT_DATABASE_URL);
}

/** Settings of stored delivery; the engine has defaults for all of them. */
export type StorageSettings = Partial<
  Pick<Settings, 'concurrency' | 'maxAttempts' | 'rememberDays' | 'whenUnknown'>
>;

/** Opens stored delivery on a database; `null` for `none`. Loads only the engine in use. */
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
