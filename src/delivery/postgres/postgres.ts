import { randomUUID } from 'node:crypto';
import { checkDuration, HandoffKitError } from '../../internal/index.js';
import type { Delivery } from '../delivery.js';
import { type OpenDatabase, openForOperator, operatorSettings } from '../storage/open-database.js';
import { deliveryMigrations } from '../storage/schema.js';
import type { SqlValue } from '../storage/sql.js';
import type { EngineSettings, StorageEngine } from '../storage/storage-engine.js';
import { checkStoredOptions, createStoredDelivery, type StoredDeliveryOptions } from '../stored-delivery.js';
import type { PostgresConnection } from './connection.js';
import { checkConnection, checkDriver, createDatabase } from './database.js';
import { createOwnConnection } from './own-connection.js';
import { createPostgresLease, createPostgresQueue } from './queue.js';

export interface PostgresOptions extends PostgresConnection, StoredDeliveryOptions {
  /** How long storing an event may take before the sender is told to try again. Default 5 seconds. */
  readonly storeTimeoutMs?: number;
}

const DEFAULTS = { concurrency: 32, leaseMs: 8_000, pollMs: 1_000 };

/** Queries of operators may be slow. */
const ADMIN_TIMEOUT_MS = 60_000;

/**
 * Stores events and replies in PostgreSQL: 200 means that the event is committed. Processes on any number of machines
 * that use the same database and schema share the work.
 *
 * @example
 * const receiver = createReceiver({ auth, platform, delivery: postgres({ connectionString }) });
 */
export function postgres(options: PostgresOptions): Delivery {
  checkDriver();
  // Mistakes show here, before the engine is created.
  checkStoredOptions('postgres', options, ['connectionString', 'pool', 'schema', 'storeTimeoutMs']);
  checkConnection(options);
  const timeoutMs = checkDuration('storeTimeoutMs', options.storeTimeoutMs ?? 5_000);
  return createStoredDelivery(options, DEFAULTS, (settings) =>
    createPostgresEngine(options, timeoutMs, settings),
  );
}

/** Opens a database for an operator, also while receivers work on it. */
export async function openPostgresDatabase(connection: string | PostgresConnection): Promise<OpenDatabase> {
  checkDriver();
  const where = typeof connection === 'string' ? { connectionString: connection } : connection;
  const settings = operatorSettings(DEFAULTS);
  return openForOperator(createPostgresEngine(where, ADMIN_TIMEOUT_MS, settings));
}

/**
 * How long a statement of a renewal may take, in parts of a lease: one that hangs on a dead connection is repeated on
 * another long before the lease has run out.
 */
const RENEWAL_LIMIT = 1 / 6;

/** On a busy machine, a statement may take that long although its connection is alive. */
const MIN_RENEWAL_LIMIT_MS = 500;

/** Creates the storage engine of a database. `timeoutMs`: how long one call may take. */
export function createPostgresEngine(
  settings: PostgresConnection,
  timeoutMs: number,
  { keepContent, leaseMs, onError, onWarning }: EngineSettings,
): StorageEngine {
  const connection = checkConnection(settings);
  const sql = createDatabase({ connection, timeoutMs, onError, onWarning });
  const { table, list, now, forgetHooks } = sql;
  const owner = randomUUID();
  const query = (text: string, values: readonly unknown[]) => sql.write(text, values as readonly SqlValue[]);
  const shared = { query, table, list, now, owner, keepContent };
  const renewals = createOwnConnection({
    connection,
    limitMs: Math.max(RENEWAL_LIMIT * leaseMs, MIN_RENEWAL_LIMIT_MS),
    onError,
  });

  return {
    sql,
    location: locationOf(connection),
    forgetHooks,
    queue: (name) => createPostgresQueue({ ...shared, queue: name }),
    lease: createPostgresLease({ ...shared, queryToRenew: renewals.query }),
    async open() {
      try {
        await sql.open();
        await sql.migrate('delivery', deliveryMigrations(sql));
      } catch (error) {
        throw error instanceof HandoffKitError ? error : unusable(connection.schema, error);
      }
    },
    async close() {
      await Promise.all([renewals.close(), sql.close()]);
    },
  };
}

/** Where a schema is, without credentials. */
function locationOf({ schema, settings }: ReturnType<typeof checkConnection>): string {
  const { connectionString, host = process.env.PGHOST, port = process.env.PGPORT, database } = settings;
  const url =
    connectionString !== undefined && URL.canParse(connectionString) ? new URL(connectionString) : null;
  const server = url ? url.host : `${host ?? ''}:${port ?? ''}`;
  const name = url ? url.pathname.slice(1) : (database ?? process.env.PGDATABASE ?? '');
  return `the schema ${schema} of the database ${name} on ${server}`;
}

function unusable(schema: string, error: unknown): HandoffKitError {
  const cause = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  const reason = cause instanceof Error ? cause.message : 'no reason given';
  return new HandoffKitError(
    'DATABASE_UNUSABLE',
    `cannot use the database (${reason}). Check that the server runs, that the address and the credentials are right, and that this user may create and use the schema ${schema}.`,
    { cause: error },
  );
}
