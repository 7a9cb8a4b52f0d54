import { randomUUID } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { configError, HandoffKitError } from '../../internal/index.js';
import type { Delivery } from '../delivery.js';
import type { Queue } from '../queue.js';
import { type OpenDatabase, openForOperator, operatorSettings } from '../storage/open-database.js';
import { createQueueLookups } from '../storage/queue-lookups.js';
import { deliveryMigrations, runMigrations } from '../storage/schema.js';
import type { ForgetHook, SqlDatabase, SqlRow } from '../storage/sql.js';
import type { EngineSettings, StorageEngine } from '../storage/storage-engine.js';
import { checkStoredOptions, createStoredDelivery, type StoredDeliveryOptions } from '../stored-delivery.js';
import type { CommandOptions } from './commands.js';
import {
  type Connection,
  createFileCheck,
  createStatementRunner,
  loadDriver,
  openConnection,
  type TransactionResult,
} from './database.js';
import { createTopics } from './topics.js';
import { createInlineWriter, createThreadWriter, findWriterThread, type Writer } from './writer.js';

export interface SqliteOptions extends StoredDeliveryOptions {
  /** The database file. It is created if it does not exist; its folder must exist. */
  readonly file: string;
}

const DEFAULTS = { concurrency: 16, leaseMs: 6_000, pollMs: 500 };

/**
 * Stores events and replies in a file, without a server: 200 means that the event is on disk. Several processes of one
 * machine may share the file.
 *
 * Writes run in a separate thread. If a bundler packs this package into one file, the file of that thread is missing:
 * writes then block the event loop, and a warning says so. Leave `handoff-kit` out of the bundle to avoid that.
 *
 * @example
 * const receiver = createReceiver({ auth, platform, delivery: sqlite({ file: './handoff.db' }) });
 */
export function sqlite(options: SqliteOptions): Delivery {
  return sqliteWith(options, findWriterThread());
}

/** {@link sqlite} with another file for the writer thread. Without one, it writes in the caller's thread. */
export function sqliteWith(given: SqliteOptions, threadFile: URL | null): Delivery {
  loadDriver();
  // A JavaScript caller may pass nothing.
  const { file, ...options }: Partial<SqliteOptions> = given ?? {};
  checkStoredOptions('sqlite', options, ['file']);
  if (typeof file !== 'string') {
    throw configError("sqlite() needs a file: pass { file: './handoff.db' }.");
  }
  if (file === ':memory:' || file === '') {
    throw configError(
      'sqlite() needs a file: a database in memory would lose its events with the process. For tests, use inline() or a file in a temporary folder.',
    );
  }
  const delivery = createStoredDelivery(options, DEFAULTS, (settings) =>
    createSqliteEngine(file, settings, threadFile),
  );
  if (threadFile) return delivery;
  return {
    ...delivery,
    connect(host) {
      host.log.warn(
        { file },
        'writes to SQLite block the event loop: the file of the writer thread is not there, as in a bundle. Leave handoff-kit out of the bundle.',
      );
      delivery.connect(host);
    },
  };
}

/** Opens a database file for an operator, also while receivers work on it. */
export const openSqliteDatabase = (file: string): Promise<OpenDatabase> =>
  openForOperator(createSqliteEngine(file, operatorSettings(DEFAULTS), null));

/** Creates the storage engine of a file. Without `threadFile` it writes in the caller's thread. */
export function createSqliteEngine(
  file: string,
  settings: EngineSettings,
  threadFile: URL | null,
): StorageEngine {
  const openDatabase: OpenDatabaseFile = (options) => {
    const connection = openConnection(file);
    const writer = threadFile
      ? createThreadWriter(threadFile, { file, ...options })
      : createInlineWriter(connection, options, createFileCheck(file));
    return { connection, writer };
  };
  return { ...createEngineOn(openDatabase, settings), location: `the file ${realPath(file)}` };
}

/** The path without symbolic links, so that two ways to one file are recognised. */
function realPath(file: string): string {
  const path = resolve(file);
  try {
    return join(realpathSync(dirname(path)), basename(path));
  } catch {
    return path;
  }
}

/** Opens a database: a connection to read from, and the writer. */
type OpenDatabaseFile = (options: CommandOptions) => {
  readonly connection: Connection;
  readonly writer: Writer;
};

/** Creates the storage engine of a database that is opened by a function. */
export function createEngineOn(openDatabase: OpenDatabaseFile, settings: EngineSettings): StorageEngine {
  const { keepContent, pollMs, onError } = settings;
  const options: CommandOptions = { keepContent, owner: randomUUID() };
  const forgetHooks: ForgetHook[] = [];
  let connection: Connection | undefined;
  let read: ReturnType<typeof createStatementRunner> | undefined;
  let writer: Writer | undefined;

  const opened = <Part>(part: Part | undefined): Part => {
    if (part !== undefined) return part;
    throw new HandoffKitError('DELIVERY_STOPPED', 'the database is not open.');
  };
  const run: Writer['run'] = (name, ...args) => opened(writer).run(name, ...args);
  /** Changes whenever another connection commits, the writer's included. */
  const dataVersion = (): unknown => opened(read)('PRAGMA data_version')[0]?.data_version;
  const topics = createTopics({ pollMs, changeCounter: () => (read ? dataVersion() : 0), onError });

  const sql: SqlDatabase = {
    dialect: 'sqlite',
    receiverName: () => null,
    now: "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
    table: (name) => name,
    list: (parameter) => `(SELECT value AS item FROM json_each(${parameter}))`,
    read: async (text, values) => opened(read)(text, values),
    async write(text, values) {
      const [rows = []] = rowsOf(await run('transaction', [{ sql: text, ...(values && { values }) }])) ?? [];
      return rows;
    },
    transaction: async (statements) => rowsOf(await run('transaction', statements)),
    migrate: (component, migrations) => runMigrations(sql, component, migrations),
    publish: topics.publish,
    subscribe: topics.subscribe,
    onForget: (hook) => void forgetHooks.push(hook),
  };

  const queue = (name: string): Queue => ({
    add: ({ key, conversation, type, content, userIds = [], onBehalfOf = null }, claim) =>
      run('add', name, key, conversation, type, content, userIds, onBehalfOf, claim, Date.now()),
    claim: (claim, limit) => run('claim', name, claim, limit, Date.now()),
    complete: ({ id, conversation, claim }) => run('complete', name, id, conversation, claim, Date.now()),
    fail: ({ id, conversation, claim }, failure) =>
      run('fail', name, id, conversation, claim, failure, Date.now()),
    release: (jobs, { interrupted }) =>
      run(
        'release',
        name,
        jobs.map(({ id, conversation, claim }) => ({ id, conversation, claim })),
        interrupted,
      ),
    releaseUnused: (inUse, before) => run('releaseUnused', name, inUse, before),
    beginAlone: ({ id, conversation, claim }) => run('beginAlone', name, id, conversation, claim),
    ...createQueueLookups(sql, name, () => options.owner),
  });

  return {
    sql,
    forgetHooks,
    queue,
    lease: {
      renew: async (record) => ({ ...(await run('renewLease', record)), now: Date.now() }),
      reclaim: (dead) => run('reclaim', dead),
      boundDueTimes: () => run('boundDueTimes', Date.now()),
      end: () => run('endLease'),
    },
    async open() {
      if (!connection) {
        ({ connection, writer } = openDatabase(options));
        read = createStatementRunner(connection);
      }
      await sql.migrate('delivery', deliveryMigrations(sql));
    },
    async close() {
      topics.stop();
      await writer?.close();
      read = undefined;
      connection?.close();
    },
  };
}

function rowsOf(result: TransactionResult): SqlRow[][] | null {
  if ('rows' in result) return result.rows;
  throw new Error(result.error);
}
