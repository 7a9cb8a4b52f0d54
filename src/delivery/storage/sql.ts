/** A value that both databases store. */
export type SqlValue = string | number | null | Uint8Array;

/** A row of a result. PostgreSQL gives a `bigint` column as text: read numbers with `Number(…)`. */
export type SqlRow = Readonly<Record<string, unknown>>;

/** One statement of a transaction. Parameters are `$1`, `$2` and so on, in both databases. */
export interface SqlStatement {
  readonly sql: string;
  readonly values?: readonly SqlValue[];
  /** Rolls the transaction back when the statement returns no row; give it a `RETURNING` clause. */
  readonly required?: boolean;
}

/**
 * The part of SQL that SQLite and PostgreSQL share, so that a store is written once for both.
 *
 * Upserts, `RETURNING`, row values and partial indexes work alike; differences have a helper here. Text may contain
 * NUL or a lone surrogate, which PostgreSQL refuses: encode it with `encodeText`, decode it with `decodeText`.
 */
export interface SqlDatabase {
  readonly dialect: 'sqlite' | 'postgres';
  /**
   * The name of the receiver whose stores these are; `null` without one. Several receivers may share the tables: keep
   * their rows apart by it, as `conversationKey(id, receiverName())` does.
   */
  readonly receiverName: () => string | null;
  /** SQL for the current time in milliseconds, by the clock that all processes share. */
  readonly now: string;
  /** The name of a table, with its schema where there is one. */
  readonly table: (name: string) => string;
  /** A subquery that gives the strings of a parameter that holds a JSON array: `WHERE id IN ${list('$1')}`. */
  readonly list: (parameter: string) => string;
  /** Runs one statement that only reads. */
  readonly read: (sql: string, values?: readonly SqlValue[]) => Promise<SqlRow[]>;
  /** Runs one statement and commits it. Gives the rows of its `RETURNING` clause. */
  readonly write: (sql: string, values?: readonly SqlValue[]) => Promise<SqlRow[]>;
  /**
   * Runs several statements atomically, and returns the rows of each. `null`: a `required` statement returned no row,
   * and the transaction was rolled back.
   */
  readonly transaction: (statements: readonly SqlStatement[]) => Promise<SqlRow[][] | null>;
  /**
   * Brings the tables of a component up to date. Each migration runs once, in order, in a transaction. A migration
   * that was released never changes; add another. Rejects when the tables are newer than the code.
   */
  readonly migrate: (component: string, migrations: readonly (readonly string[])[]) => Promise<void>;
  /** Notifies subscribers in all processes that something changed. */
  readonly publish: (topic: string) => void;
  /** Calls back soon after a topic was published, and sometimes without cause. Returns a function that unsubscribes. */
  readonly subscribe: (topic: string, listener: () => void) => () => void;
  /** Adds a hook that removes data of conversations from another store when their user is forgotten. */
  readonly onForget: (hook: ForgetHook) => void;
}

/** Removes data of conversations, given by their `conversationKey`. */
export type ForgetHook = (conversations: readonly string[]) => Promise<void>;
