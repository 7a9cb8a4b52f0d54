import { createHash } from 'node:crypto';
import type { Pool, PoolClient, PoolConfig } from 'pg';
import {
  checkCount,
  checkDuration,
  configError,
  HandoffKitError,
  requireOptional,
} from '../../internal/index.js';
import { runMigrations } from '../storage/schema.js';
import type { ForgetHook, SqlDatabase, SqlRow, SqlStatement, SqlValue } from '../storage/sql.js';
import type { PostgresConnection } from './connection.js';
import { createNotifications } from './notifications.js';
import { clientClassOf, createServers, isServerFailure, type Servers, splitServers } from './primary.js';
import { createTimeLimit } from './time-limit.js';

interface CheckedConnection {
  readonly schema: string;
  readonly servers: Servers;
  readonly settings: PoolConfig;
}

export function checkConnection({
  connectionString,
  pool = {},
  schema = 'handoff_kit',
}: PostgresConnection): CheckedConnection {
  if (!/^[a-z_][a-z0-9_]{0,49}$/.test(schema)) {
    throw configError(
      'schema must be a lower-case name of letters, digits and underscores, at most 50 long.',
    );
  }
  if (connectionString === undefined && pool.host === undefined && !process.env.PGHOST) {
    throw configError('say where the database is: connectionString, or pool with host, database and user.');
  }
  if (connectionString !== undefined && !/^postgres(ql)?:\/\//.test(connectionString)) {
    throw configError('connectionString must begin with postgres://.');
  }
  const addresses = connectionString === undefined ? [] : splitServers(connectionString);
  return {
    schema,
    servers: createServers(addresses.map((address) => ({ connectionString: address }))),
    settings: {
      ...(pool as PoolConfig),
      ...(addresses[0] !== undefined && { connectionString: addresses[0] }),
      max: checkCount('pool.max', pool.max ?? 10),
      connectionTimeoutMillis: checkDuration(
        'pool.connectionTimeoutMillis',
        pool.connectionTimeoutMillis ?? 5_000,
      ),
      query_timeout: checkDuration('pool.query_timeout', pool.query_timeout ?? 30_000),
      keepAlive: true,
      application_name: 'handoff-kit',
    },
  };
}

/** Throws if node-postgres is not installed. */
export function checkDriver(): void {
  try {
    requireOptional.resolve('pg');
  } catch (error) {
    throw new HandoffKitError(
      'PG_MISSING',
      'keeping events in PostgreSQL needs the package pg. Install it: npm install pg',
      { cause: error },
    );
  }
}

interface PostgresDatabase extends SqlDatabase {
  readonly forgetHooks: readonly ForgetHook[];
  /** Creates the schema. */
  open(): Promise<void>;
  close(): Promise<void>;
}

interface DatabaseOptions {
  readonly connection: CheckedConnection;
  /** How long one call may take before it rejects. */
  readonly timeoutMs: number;
  readonly onError: (error: unknown) => void;
  readonly onWarning?: ((message: string) => void) | undefined;
}

/** How long closing waits for statements under way. */
const END_TIMEOUT_MS = 2_000;

/** Connects on first use, and reconnects after a connection was lost. */
export function createDatabase(options: DatabaseOptions): PostgresDatabase {
  const { connection, timeoutMs, onError, onWarning } = options;
  const { schema, settings, servers } = connection;
  const forgetHooks: ForgetHook[] = [];
  let pool: Promise<Pool> | undefined;
  let closed = false;

  const connect = async (): Promise<Pool> => {
    const { default: pg } = await import('pg');
    const created = new pg.Pool({ ...settings, Client: await clientClassOf(servers) });
    // Without a listener, an error on an idle connection would end the process.
    created.on('error', onError);
    created.on('connect', (client) => client.on('error', onError));
    return created;
  };
  const getPool = (): Promise<Pool> => {
    if (closed) throw new HandoffKitError('DELIVERY_STOPPED', 'the database was closed.');
    pool ??= connect();
    return pool;
  };

  /** Gives up the connections of a pool: they are dead, or their server does not accept writes any more. */
  const leave = (used: Promise<Pool> | undefined): void => {
    // Another call may have left it before.
    if (used === undefined || used !== pool) return;
    servers.failed(servers.current());
    pool = undefined;
    used.then((old) => old.end()).catch(onError);
  };
  const limited = createTimeLimit(timeoutMs, () => leave(pool));

  /** Runs statements on the server that accepts writes. Tries the next one if a connection could not be made. */
  const onPrimary = async <Result>(run: (pool: Pool) => Promise<Result>): Promise<Result> => {
    for (let tries = 1; ; tries += 1) {
      const used = getPool();
      try {
        return await run(await used);
      } catch (error) {
        // A primary that was demoted keeps its connections.
        if (servers.count > 1 && isReadOnly(error)) leave(used);
        if (!isServerFailure(error) || tries >= servers.count) throw error;
      }
    }
  };

  const query = async (sql: string, values: readonly SqlValue[] = []): Promise<SqlRow[]> => {
    const result = await onPrimary((connected) => connected.query(sql, [...values]));
    return result.rows as SqlRow[];
  };

  const inTransaction = async (
    client: PoolClient,
    statements: readonly SqlStatement[],
  ): Promise<SqlRow[][] | null> => {
    await client.query('BEGIN');
    const results: SqlRow[][] = [];
    for (const { sql, values = [], required = false } of statements) {
      const { rows } = await client.query(sql, [...values]);
      if (required && rows.length === 0) {
        await client.query('ROLLBACK');
        return null;
      }
      results.push(rows as SqlRow[]);
    }
    await client.query('COMMIT');
    return results;
  };

  const transaction = (statements: readonly SqlStatement[]): Promise<SqlRow[][] | null> =>
    onPrimary(async (connected) => {
      const client = await connected.connect();
      try {
        const results = await inTransaction(client, statements);
        client.release();
        return results;
      } catch (error) {
        // Closing the connection rolls the transaction back, whatever state it is in.
        client.release(true);
        throw error;
      }
    });

  const notifications = createNotifications({
    channel: `handoff_kit_${createHash('sha256').update(schema).digest('hex').slice(0, 24)}`,
    connection,
    query,
    onError,
    onMissing: () => onWarning?.(NOT_NOTIFIED),
  });

  const sql: PostgresDatabase = {
    forgetHooks,
    dialect: 'postgres',
    receiverName: () => null,
    now: '(extract(epoch from statement_timestamp()) * 1000)::bigint',
    table: (name) => `${schema}.${name}`,
    list: (parameter) => `(SELECT json_array_elements_text(${parameter}::json) AS item)`,
    read: (text, values) => limited(() => query(text, values)),
    write: (text, values) => limited(() => query(text, values)).catch(explain),
    transaction: (statements) => limited(() => transaction(statements)).catch(explain),
    // Without the time limit of a call: creating tables takes longer than storing an event.
    migrate: (component, migrations) =>
      runMigrations({ table: sql.table, read: query, write: query, transaction }, component, migrations),
    publish: (topic) => notifications.publish(topic),
    subscribe: (topic, listener) => notifications.subscribe(topic, listener),
    onForget: (hook) => void forgetHooks.push(hook),
    async open() {
      const versions = `CREATE TABLE IF NOT EXISTS ${schema}.schema_version
        (component text PRIMARY KEY, version integer NOT NULL)`;
      const [known] = await query('SELECT to_regclass($1) AS name', [`${schema}.schema_version`]);
      if (known?.name !== null) return;
      // `IF NOT EXISTS` fails when two processes create the same thing at once, so they take turns.
      await transaction([
        { sql: 'SELECT pg_advisory_xact_lock(hashtext($1))', values: [`handoff-kit ${schema}`] },
        { sql: `CREATE SCHEMA IF NOT EXISTS ${schema}` },
        { sql: versions },
      ]);
    },
    async close() {
      await notifications.stop();
      closed = true;
      const open = await pool?.catch(() => undefined);
      await Promise.race([
        open?.end(),
        new Promise((resolve) => setTimeout(resolve, END_TIMEOUT_MS).unref()),
      ]);
    },
  };
  return sql;
}

const NOT_NOTIFIED =
  'notifications of PostgreSQL do not arrive, as behind a pooler of transactions (PgBouncer with pool_mode = transaction). Nothing is lost, but this process notices the work of others only when it polls, every pollMs. Connect to the server itself to be notified.';

const READ_ONLY = '25006';

const isReadOnly = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === READ_ONLY;

function explain(error: unknown): never {
  if (isReadOnly(error)) {
    throw new HandoffKitError('DATABASE_READ_ONLY', 'the database may only be read at the moment.', {
      cause: error,
    });
  }
  throw error;
}
