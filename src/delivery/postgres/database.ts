import type { Db, PgBoss } from 'pg-boss';
import { HandoffKitError } from '../../internal/index.js';
import type { QueueName } from '../stored-queues.js';
import type { CheckedConnection } from './connection.js';
import { loadBoss } from './load-boss.js';
import { tables } from './tables.js';

/** A row of a result. */
export type Row = Readonly<Record<string, unknown>>;

/** The engine and its database. Everything rejects while the database cannot be reached. */
export interface Database {
  readonly schema: string;
  /** The engine, started. */
  boss(): Promise<PgBoss>;
  /** Runs one statement. */
  run(sql: string, values: readonly unknown[]): Promise<readonly Row[]>;
  /** Runs several statements, of the engine too, of which all happen or none. */
  together<Result>(work: (boss: PgBoss, db: Db) => Promise<Result>): Promise<Result>;
  /** Lets go of the database. */
  close(): Promise<void>;
}

/** What {@link openDatabase} needs. */
export interface DatabaseParts {
  readonly connection: CheckedConnection;
  /** How long what was done is remembered. Without it, this process does not look after the tables. */
  readonly rememberMs?: number;
  /** Hears of what goes wrong in the background. */
  readonly onTrouble: (error: unknown) => void;
}

/** Names of both queues, as the engine knows them. */
export const QUEUES: readonly QueueName[] = ['inbox', 'outbox'];

/** The engine must never give up by itself: a job that it fails for good would hold up its key for ever. */
const NEVER = 1_000_000_000;
const TEN_YEARS_S = 315_360_000;
const DAY_S = 86_400;

/** How long a farewell may take. */
const CLOSE_WITHIN_MS = 2_000;

/** Connects when it is first needed, and again after it failed. */
export function openDatabase({ connection, rememberMs, onTrouble }: DatabaseParts): Database {
  const { schema, settings } = connection;
  let started: Promise<PgBoss> | undefined;
  let closed = false;

  const start = async (): Promise<PgBoss> => {
    if (closed) throw new HandoffKitError('DATABASE_CLOSED', 'the delivery was stopped.');
    const Boss = await loadBoss();
    const boss = new Boss({
      ...settings,
      schema,
      ...tending(rememberMs),
      schedule: false,
      registerInstance: false,
      openTelemetry: { enabled: false },
      flowIntervalSeconds: DAY_S,
    });
    boss.on('error', onTrouble);
    try {
      await boss.start();
      for (const name of QUEUES) await ensureQueue(boss, name);
      await ensureTables(boss.getDb(), schema);
      return boss;
    } catch (error) {
      await boss.stop({ graceful: false }).catch(onTrouble);
      throw error;
    }
  };

  const boss = (): Promise<PgBoss> => {
    started ??= start().catch((error: unknown) => {
      started = undefined;
      throw error;
    });
    return started;
  };

  return {
    schema,
    boss,
    async run(sql, values) {
      const { rows } = await (await boss()).getDb().executeSql(sql, [...values]);
      return rows as Row[];
    },
    async together(work) {
      const engine = await boss();
      return inTransaction(engine.getDb(), (db) => work(engine, db));
    },
    async close() {
      closed = true;
      const engine = await started?.catch(() => undefined);
      await engine?.stop({ graceful: false, timeout: CLOSE_WITHIN_MS });
    },
  };
}

/** How often the engine looks for what is to be forgotten: seldom, since it goes through all that is stored. */
function tending(rememberMs: number | undefined) {
  if (rememberMs === undefined) return { supervise: false };
  const everyS = Math.min(3_600, Math.max(5, Math.ceil(rememberMs / 24_000)));
  return {
    supervise: true,
    maintenanceIntervalSeconds: everyS,
    superviseIntervalSeconds: Math.min(60, everyS),
  };
}

async function ensureQueue(boss: PgBoss, name: QueueName): Promise<void> {
  if (await boss.getQueue(name)) return;
  await boss.createQueue(name, {
    policy: 'key_strict_fifo',
    partition: true,
    retryLimit: NEVER,
    expireInSeconds: DAY_S,
    retentionSeconds: TEN_YEARS_S,
  });
}

/** Two processes that make the same table at once would get in each other's way, so they take turns. */
async function ensureTables(db: Db, schema: string): Promise<void> {
  await inTransaction(db, async (transaction) => {
    await transaction.executeSql('SELECT pg_advisory_xact_lock(hashtext($1))', [`handoff-kit ${schema}`]);
    for (const sql of tables(schema)) await transaction.executeSql(sql, []);
  });
}

async function inTransaction<Result>(db: Db, work: (db: Db) => Promise<Result>): Promise<Result> {
  const transaction = await db.beginTransaction?.();
  if (!transaction)
    throw new HandoffKitError('NO_TRANSACTIONS', 'this version of pg-boss has no transactions.');
  try {
    const result = await work(transaction.db);
    await transaction.commit();
    return result;
  } catch (error) {
    await transaction.rollback();
    throw error;
  }
}
