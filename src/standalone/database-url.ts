import { resolve } from 'node:path';
import { configError } from '../internal/index.js';

/** Where events and replies are kept. */
export type DatabaseChoice =
  | { readonly kind: 'none' }
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'postgres'; readonly url: string };

/** Where they are kept unless told otherwise. */
export const DEFAULT_DATABASE_URL = 'sqlite:./handoff.db';

const CHOICES =
  'DATABASE_URL must be sqlite:<file>, postgres://<user>:<password>@<host>/<database>, or none, which stores nothing.';
const SQLITE_FILE =
  'DATABASE_URL must name a file right after "sqlite:", such as sqlite:./handoff.db or sqlite:/var/lib/handoff.db.';
const POSTGRES_URL =
  'DATABASE_URL is no URL that can be read. Write special characters of the user and password as %23 and so on.';

/** Words for storing nothing. */
const NOTHING: readonly string[] = ['none', 'memory:'];

/** Reads what `DATABASE_URL` says. What it complains of never holds the value: there may be a password in it. */
export function readDatabaseUrl(text: string): DatabaseChoice {
  if (NOTHING.includes(text)) return { kind: 'none' };
  if (text.startsWith('sqlite:')) return { kind: 'sqlite', file: sqliteFile(text.slice('sqlite:'.length)) };
  if (!/^postgres(ql)?:\/\//.test(text)) throw configError(CHOICES);
  if (!URL.canParse(text)) throw configError(POSTGRES_URL);
  return { kind: 'postgres', url: text };
}

/** How many slashes mean what differs from tool to tool, and a file of SQLite's own in memory stores nothing. */
function sqliteFile(file: string): string {
  if (file.trim() === '' || file.startsWith('//') || file.startsWith(':')) throw configError(SQLITE_FILE);
  return resolve(file);
}

/** Says where things are kept, without user, password and parameters. */
export function databaseText(choice: DatabaseChoice): string {
  if (choice.kind === 'none') return 'none';
  if (choice.kind === 'sqlite') return choice.file;
  const { host, pathname } = new URL(choice.url);
  return `postgres://${host}${pathname}`;
}
