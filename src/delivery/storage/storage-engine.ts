import { configError, type Log } from '../../internal/index.js';
import type { ProcessLease, Queue } from '../queue.js';
import type { ForgetHook, SqlDatabase } from './sql.js';

/** A database with its queues: the part of a stored delivery that differs between databases. */
export interface StorageEngine {
  readonly sql: SqlDatabase;
  /** Where the database is, without credentials: the same for two engines on one database. */
  readonly location?: string;
  /** The queue with this name in the database; see encoding.ts. */
  readonly queue: (name: string) => Queue;
  readonly lease: ProcessLease;
  readonly forgetHooks: readonly ForgetHook[];
  /** Connects, and brings the tables up to date. Called once at a time; called again after it failed. */
  readonly open: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface EngineSettings {
  readonly keepContent: boolean;
  readonly leaseMs: number;
  readonly pollMs: number;
  /** Called when something fails in the background. */
  readonly onError: (error: unknown) => void;
  /** Called with what an operator should know about the database; it can be used all the same. */
  readonly onWarning?: (message: string) => void;
}

/** The defaults that differ from database to database. */
export interface EngineDefaults {
  readonly concurrency: number;
  readonly leaseMs: number;
  readonly pollMs: number;
}

/** Wraps a database so that it is opened on first use. */
export function openedOnUse(sql: SqlDatabase, open: () => Promise<void>): SqlDatabase {
  const opened =
    <Args extends readonly unknown[], Result>(run: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      await open();
      return run(...args);
    };
  return {
    ...sql,
    read: opened(sql.read),
    write: opened(sql.write),
    transaction: opened(sql.transaction),
    migrate: opened(sql.migrate),
  };
}

/** During an outage there are many errors a second; one line per interval is enough. */
const INTERVAL_MS = 10_000;

/** Logs errors of the database, at most one line in ten seconds, with the number of errors since the last. */
export function createThrottledLog(log: () => Log | undefined): (error: unknown) => void {
  let loggedAt = Number.NEGATIVE_INFINITY;
  let failures = 0;
  return (error) => {
    failures += 1;
    const now = performance.now();
    if (now - loggedAt < INTERVAL_MS) return;
    log()?.error({ ...describe(error), failures }, 'the database cannot be used: trying again');
    loggedAt = now;
    failures = 0;
  };
}

/** Details of database errors may contain rows; the code and the start of the message do not. */
function describe(error: unknown): { reason: string; code: string | null } {
  if (!(error instanceof Error)) return { reason: 'unknown', code: null };
  const nested = error instanceof AggregateError ? (error.errors[0] as unknown) : undefined;
  const { message } = nested instanceof Error ? nested : error;
  return { reason: message.slice(0, 200), code: 'code' in error ? String(error.code) : null };
}

const KEY = Symbol.for('handoff-kit.receivers');

/** The stores that receivers of this process use. On `globalThis`, since a process may load this package twice. */
const storesInUse = (): Set<string> => {
  const shared = globalThis as { [KEY]?: Set<string> };
  shared[KEY] ??= new Set();
  return shared[KEY];
};

/**
 * Notes that a receiver uses a store. Two receivers of one process that have the same store and name would handle each
 * other's events, which is a mistake; processes that share both are replicas. Returns a function to call when it is closed.
 */
export function useStore(location: string, receiver: string): () => void {
  const use = JSON.stringify([location, receiver]);
  if (storesInUse().has(use)) {
    throw configError(
      `another receiver of this process already uses ${location} under the name ${JSON.stringify(receiver)}, so they would handle each other's events. Give each receiver a name of its own (createReceiver({ name: … })), use one receiver with several bots, or close the first one.`,
    );
  }
  storesInUse().add(use);
  return () => void storesInUse().delete(use);
}
