import { existsSync } from 'node:fs';
import type { Delivery, OpenShelf, StoredQueues } from '../delivery/index.js';
import { configError, HandoffKitError } from '../internal/index.js';
import { type DatabaseChoice, databaseText } from './database-url.js';
import type { Settings } from './settings-schema.js';

const DAY_MS = 86_400_000;

/** How events and replies are kept. What is not told is the engine's own choice. */
export type KeepingSettings = Partial<
  Pick<Settings, 'concurrency' | 'maxAttempts' | 'rememberDays' | 'whenUnknown'>
>;

/** Opens the delivery of a database; `null` where nothing is to be stored. Only the engine in use is loaded. */
export async function openDelivery(
  choice: DatabaseChoice,
  keeping: KeepingSettings = {},
): Promise<Delivery | null> {
  if (choice.kind === 'none') return null;
  const options = optionsOf(keeping);
  if (choice.kind === 'postgres') {
    const { postgres } = await import('../delivery/postgres/index.js');
    return postgres({ ...options, connectionString: choice.url });
  }
  const { sqlite } = await import('../delivery/sqlite/index.js');
  return opened(() => sqlite({ ...options, file: choice.file }));
}

const optionsOf = ({ concurrency, maxAttempts, rememberDays, whenUnknown }: KeepingSettings) => ({
  ...(concurrency !== undefined && { concurrency }),
  ...(maxAttempts !== undefined && { maxAttempts }),
  ...(rememberDays !== undefined && { rememberMs: rememberDays * DAY_MS }),
  ...(whenUnknown !== undefined && { outbox: { whenUnknown } }),
});

/** Opens the queues of a database for looking into them, also while a receiver is at work on them. */
export async function openQueues(choice: DatabaseChoice): Promise<StoredQueues> {
  if (choice.kind === 'none') {
    throw configError('DATABASE_URL is none: nothing is stored, so there is nothing to look into.');
  }
  if (choice.kind === 'postgres') {
    const { openPostgresQueues } = await import('../delivery/postgres/index.js');
    return openPostgresQueues(choice.url);
  }
  mustBeThere(choice);
  const { openSqliteQueues } = await import('../delivery/sqlite/index.js');
  return opened(() => openSqliteQueues(choice.file));
}

/** Opens the shelf of a database by itself, also while a receiver is at work on it. */
export async function openShelf(
  choice: DatabaseChoice,
  { create }: { readonly create: boolean },
): Promise<OpenShelf> {
  if (choice.kind === 'none') {
    throw configError('DATABASE_URL is none: nothing is stored, so agents cannot be kept. Name a database.');
  }
  if (choice.kind === 'postgres') {
    const { openPostgresShelf } = await import('../delivery/postgres/index.js');
    return openPostgresShelf(choice.url);
  }
  if (!create) mustBeThere(choice);
  const { openSqliteShelf } = await import('../delivery/sqlite/index.js');
  return opened(() => openSqliteShelf(choice.file));
}

/** To open a file that is not there would make an empty one, and hide a wrong path. */
function mustBeThere(choice: Extract<DatabaseChoice, { readonly kind: 'sqlite' }>): void {
  if (existsSync(choice.file)) return;
  throw configError(
    `there is no database at ${databaseText(choice)}. Give the DATABASE_URL of the server; a relative path begins at the folder where the server was started.`,
  );
}

/** Opens a file. Where SQLite itself is missing, to store nothing is a way out that only the program knows of. */
function opened<Opened>(open: () => Opened): Opened {
  try {
    return open();
  } catch (error) {
    if (!(error instanceof HandoffKitError) || error.code !== 'SQLITE_MISSING') throw error;
    const message = `cannot keep events: ${error.message} DATABASE_URL=none stores nothing and needs neither.`;
    throw new HandoffKitError(error.code, message, { cause: error });
  }
}
