/** Connection settings. In a file of their own: their types must not need those of node-postgres. */
export interface PostgresConnection {
  /**
   * The address, as `postgres://user:password@host:port/name`. Required unless `pool` has the host. It may name several
   * servers, a primary and its standbys, as `postgres://user:password@one:5432,two:5432/name`: the one that accepts writes
   * is used, and found again after a failover.
   */
  readonly connectionString?: string;
  /** Options of node-postgres. */
  readonly pool?: {
    readonly host?: string;
    readonly port?: number;
    readonly database?: string;
    readonly user?: string;
    readonly password?: string | (() => string | Promise<string>);
    readonly ssl?: boolean | object;
    /** The most connections, besides one that listens and one that renews the lease. Default 10. */
    readonly max?: number;
    /** How long to wait for a free connection. Default 5 seconds. */
    readonly connectionTimeoutMillis?: number;
    /**
     * How long a statement may take before its connection is closed, and so how long a dead connection stays
     * unnoticed. Default 30 seconds.
     */
    readonly query_timeout?: number;
  };
  /** The schema of all tables. It is created if it does not exist. Default `handoff_kit`. */
  readonly schema?: string;
}
