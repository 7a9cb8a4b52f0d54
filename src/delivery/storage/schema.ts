import { HandoffKitError } from '../../internal/index.js';
import type { SqlDatabase } from './sql.js';

/**
 * The tables of both databases. Times are milliseconds. User ids and long conversation ids are stored as digests
 * (see encoding.ts), because index entries are limited in length and characters.
 *
 * - `seen_key`: a digest of each idempotency key, in the order in which jobs were added. `seq` is the job's id.
 * - `job`: jobs that wait, are dead, or are done and kept with their content.
 * - `head`: one row per conversation with jobs to run: their number, when the first is due and by which delay, which
 *   process claimed it, and which job that process runs.
 * - `process`: the number of the latest renewal of each process's lease.
 * - `user_conversation`: the conversations of each user, for `forget`.
 * - `conversation`: handed-over conversations, as JSON, with the columns they are looked up by.
 * - `idempotency_key`, `cursor`, `task_lease`: the state of the bridge.
 */
export function deliveryMigrations({ dialect, table }: SqlDatabase): readonly (readonly string[])[] {
  const isSqlite = dialect === 'sqlite';
  const serial = isSqlite ? 'INTEGER PRIMARY KEY AUTOINCREMENT' : 'bigserial PRIMARY KEY';
  const bytes = isSqlite ? 'BLOB' : 'bytea';
  const text = isSqlite ? 'TEXT' : 'text COLLATE "C"';
  const clustered = isSqlite ? ' WITHOUT ROWID' : '';

  const initial = [
    `CREATE TABLE ${table('seen_key')} (
      seq ${serial},
      digest ${bytes} NOT NULL UNIQUE,
      seen_at bigint NOT NULL
    )`,
    `CREATE TABLE ${table('job')} (
      seq ${isSqlite ? 'INTEGER' : 'bigint'} PRIMARY KEY,
      queue ${text} NOT NULL,
      conversation ${text} NOT NULL,
      type ${text} NOT NULL,
      state ${text} NOT NULL DEFAULT 'waiting',
      attempts integer NOT NULL DEFAULT 0,
      interruptions integer NOT NULL DEFAULT 0,
      crashes integer NOT NULL DEFAULT 0,
      created_at bigint NOT NULL,
      error ${text},
      content ${text} NOT NULL
    )`,
    `CREATE INDEX job_of_conversation ON ${table('job')} (queue, conversation, seq)`,
    `CREATE INDEX job_settled ON ${table('job')} (queue, state, seq) WHERE state <> 'waiting'`,
    `CREATE TABLE ${table('head')} (
      queue ${text} NOT NULL,
      conversation ${text} NOT NULL,
      jobs integer NOT NULL,
      due_at bigint NOT NULL,
      delay_ms bigint NOT NULL DEFAULT 0,
      owner ${text},
      claim bigint,
      job bigint,
      PRIMARY KEY (queue, conversation)
    )${clustered}`,
    `CREATE INDEX head_due ON ${table('head')} (queue, due_at) WHERE owner IS NULL AND jobs > 0`,
    `CREATE INDEX head_owner ON ${table('head')} (owner) WHERE owner IS NOT NULL`,
    `CREATE TABLE ${table('process')} (
      owner ${text} PRIMARY KEY,
      renewals bigint NOT NULL,
      lease_ms bigint NOT NULL,
      identity ${text}
    )${clustered}`,
    `CREATE TABLE ${table('user_conversation')} (
      user_id ${text} NOT NULL,
      conversation ${text} NOT NULL,
      seen_at bigint NOT NULL,
      PRIMARY KEY (user_id, conversation)
    )${clustered}`,
    `CREATE INDEX user_of_conversation ON ${table('user_conversation')} (conversation)`,
    `CREATE INDEX user_conversation_seen ON ${table('user_conversation')} (seen_at)`,
    `CREATE TABLE ${table('conversation')} (
      conversation ${text} PRIMARY KEY,
      version integer NOT NULL,
      state ${text} NOT NULL,
      user_key ${text} NOT NULL,
      user_id ${text},
      anonymous_id ${text},
      adapter ${text},
      link ${text},
      requested_at bigint NOT NULL,
      changed_at bigint NOT NULL,
      closed_at bigint,
      content ${text} NOT NULL
    )`,
    `CREATE INDEX conversation_state ON ${table('conversation')} (state, changed_at, conversation)`,
    `CREATE INDEX conversation_adapter ON ${table('conversation')} (adapter, state, changed_at, conversation)
      WHERE adapter IS NOT NULL`,
    `CREATE INDEX conversation_link ON ${table('conversation')} (link, requested_at) WHERE link IS NOT NULL`,
    `CREATE INDEX conversation_user_key ON ${table('conversation')} (user_key, changed_at, conversation)`,
    `CREATE INDEX conversation_user_id ON ${table('conversation')} (user_id) WHERE user_id IS NOT NULL`,
    `CREATE INDEX conversation_anonymous_id ON ${table('conversation')} (anonymous_id)
      WHERE anonymous_id IS NOT NULL`,
    `CREATE INDEX conversation_closed ON ${table('conversation')} (closed_at) WHERE closed_at IS NOT NULL`,
    `CREATE TABLE ${table('idempotency_key')} (key ${text} PRIMARY KEY, expires_at bigint NOT NULL)`,
    `CREATE INDEX idempotency_key_expires ON ${table('idempotency_key')} (expires_at)`,
    `CREATE TABLE ${table('cursor')} (name ${text} PRIMARY KEY, position ${text} NOT NULL)`,
    `CREATE TABLE ${table('task_lease')} (
      name ${text} PRIMARY KEY,
      owner ${text} NOT NULL,
      expires_at bigint NOT NULL
    )`,
    `CREATE INDEX task_lease_expires ON ${table('task_lease')} (expires_at)`,
  ];
  return [initial];
}

/** Several processes may migrate at once; each lost race means that another one made a step. */
const MAX_RACES = 100;

/** Runs the migrations of a component that have not run yet. Needs the table `schema_version`. */
export async function runMigrations(
  database: Pick<SqlDatabase, 'read' | 'write' | 'transaction' | 'table'>,
  component: string,
  migrations: readonly (readonly string[])[],
): Promise<void> {
  const versions = database.table('schema_version');
  for (let races = 0; races < MAX_RACES; races += 1) {
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
    const setVersion = {
      sql: `UPDATE ${versions} SET version = $2 + 1 WHERE component = $1 AND version = $2 RETURNING version`,
      values: [component, version],
      required: true,
    };
    try {
      await database.transaction([setVersion, ...statements.map((sql) => ({ sql }))]);
    } catch (error) {
      throw version === 0 && isTablePresent(error) ? foreignTables(error) : error;
    }
  }
  throw new HandoffKitError(
    'DATABASE_UNUSABLE',
    `the tables of ${component} could not be brought up to date.`,
  );
}

/** Both databases say so in English: SQLite always, PostgreSQL with a code. */
const isTablePresent = (error: unknown): boolean =>
  error instanceof Error &&
  (('code' in error && error.code === '42P07') || /^table \S+ already exists$/.test(error.message));

const foreignTables = (cause: unknown): HandoffKitError =>
  new HandoffKitError(
    'DATABASE_UNUSABLE',
    'the database has tables with the names of ours that no released version has made. Use another file or schema, or remove these tables if nothing in them is needed.',
    { cause },
  );

const tooNew = (component: string): HandoffKitError =>
  new HandoffKitError(
    'DATABASE_TOO_NEW',
    `the database was written by a newer version of this package (${component}). Update the package, or use another database.`,
  );
