import { configError, duration, quantityOf } from '../../internal/index.js';

/** Where the database is, and how it is used. */
export interface PostgresConnection {
  /** Where the database is, as `postgres://user:password@host:port/name`. Without it, `pool` says so. */
  readonly connectionString?: string;
  /** Where the database is and how to connect, in the words of node-postgres. */
  readonly pool?: {
    readonly host?: string;
    readonly port?: number;
    readonly database?: string;
    readonly user?: string;
    readonly password?: string | (() => string | Promise<string>);
    readonly ssl?: boolean | object;
    /** Connections at most, besides the one that listens. Default 10. */
    readonly max?: number;
    /** How long to wait for a free connection. Default 5 seconds. */
    readonly connectionTimeoutMillis?: number;
    /**
     * How long a statement may take before its connection is given up, in milliseconds: that is how long it takes at
     * most to notice a connection that is dead and does not say so. Default 30 seconds.
     */
    readonly query_timeout?: number;
  };
  /** The schema that holds everything. It is made when it is not there. Default `handoff_kit`. */
  readonly schema?: string;
}

const DEFAULT_SCHEMA = 'handoff_kit';

/** No statement of ours takes so long; one that does waits for an answer that will not come. */
const LONGEST_STATEMENT_MS = 30_000;

/** A connection's settings, checked. */
export interface CheckedConnection {
  readonly schema: string;
  /** For node-postgres, which takes them through pg-boss. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Checks where the database is said to be. */
export function checkConnection({
  connectionString,
  pool = {},
  schema = DEFAULT_SCHEMA,
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
  return {
    schema,
    settings: {
      ...pool,
      ...(connectionString === undefined ? {} : { connectionString }),
      max: quantityOf('pool.max', pool.max ?? 10),
      connectionTimeoutMillis: duration(
        'pool.connectionTimeoutMillis',
        pool.connectionTimeoutMillis ?? 5_000,
      ),
      query_timeout: duration('pool.query_timeout', pool.query_timeout ?? LONGEST_STATEMENT_MS),
      keepAlive: true,
      application_name: 'handoff-kit',
    },
  };
}
