import type { Queue, QueueKind } from '../../src/delivery/queue.js';
import { type Connection, openConnection, type Statement } from '../../src/delivery/sqlite/database.js';
import { createEngineOn } from '../../src/delivery/sqlite/sqlite.js';
import { type Command, createGroupRunner, type Writer } from '../../src/delivery/sqlite/writer.js';
import { deliveryMigrations } from '../../src/delivery/storage/schema.js';
import type { SqlDatabase } from '../../src/delivery/storage/sql.js';
import type { EngineSettings, StorageEngine } from '../../src/delivery/storage/storage-engine.js';
import { type Scheduler, type SimulatedProcess, wallClock } from './scheduler.js';

/**
 * One SQLite database in memory that all simulated processes share. The SQL, the commands and the queues are those of
 * production; the way to the database and back is not:
 *
 * ```
 *   process ── request ──► (refused) · runs later · (never, if the process dies) ──► transaction
 *   process ◄── answer ── late · (lost: an error, although it was committed) ◄──────────┘
 * ```
 */
export interface Storage {
  /** The engine of one process. */
  engineOf(process: SimulatedProcess, settings: EngineSettings): StorageEngine;
  /** Every job that was ever stored, by its sequence number. */
  readonly jobs: ReadonlyMap<number, JobRecord>;
  /** The first job with a name. */
  find(queue: QueueKind, label: string): JobRecord | undefined;
  /** The first job of a conversation that is neither done nor dead, and the process that has claimed it. */
  headOf(
    queue: QueueKind,
    conversation: string,
  ): { readonly seq: number; readonly owner: string | null } | null;
  /** Mistakes in the books of the queue: jobs that no process would ever find. */
  inconsistencies(): string[];
  /** Rows of a statement, for checks. */
  query(sql: string, ...values: string[]): Readonly<Record<string, unknown>>[];
}

/** A stored event or reply. */
export interface JobRecord {
  readonly seq: number;
  readonly queue: QueueKind;
  readonly conversation: string;
  readonly type: string;
  readonly content: unknown;
  /** Its name in the history. */
  readonly label: string;
  state: 'waiting' | 'done' | 'dead';
  error: string | null;
}

/** What goes wrong between a process and the database, as probabilities, and how long a way takes. */
export interface StorageFaults {
  readonly refused: number;
  readonly answerLost: number;
  readonly slow: number;
  readonly slowMs: number;
  /** Notifications between processes that get lost. */
  readonly notificationLost: number;
}

/** What a mistake may change on the way to the database. */
export interface StorageMistakes {
  /** Changes the text of a statement. */
  readonly sql?: (text: string) => string;
  /** Changes the engine of a process. */
  readonly engine?: (engine: StorageEngine, process: SimulatedProcess) => StorageEngine;
  readonly settings?: (settings: EngineSettings) => EngineSettings;
}

/** Options of {@link createStorage}. */
export interface StorageOptions {
  readonly scheduler: Scheduler;
  readonly faults: () => StorageFaults;
  readonly mistakes: StorageMistakes;
  /** The name of a job in the history. */
  readonly labelOf: (job: Omit<JobRecord, 'label'>) => string;
  /** Called after each commit. */
  readonly onCommit: (process: SimulatedProcess, command: string) => void;
}

const CLOCK = 'simulated_now()';

/** The methods of a queue that only read. */
const READS: ReadonlySet<string> = new Set(['has', 'statusOf', 'holds']);

/** Processes of one machine are this close to the database, in milliseconds. */
const WAY_MS = 4;

let shared: { readonly connection: Connection; now: () => number } | undefined;
const statements = new Map<string, Statement>();

/** One database for all histories of a test run: creating the tables takes longer than most histories. */
function sharedDatabase() {
  if (shared) return shared;
  const connection = openConnection(':memory:') as Connection & {
    function(name: string, callback: () => number): void;
  };
  const opened = { connection, now: () => 0 };
  connection.function(CLOCK.replace('()', ''), () => opened.now());
  const migrations = deliveryMigrations({ dialect: 'sqlite', table: (name) => name } as SqlDatabase);
  for (const text of migrations.flat()) connection.exec(text);
  connection.exec(`INSERT INTO schema_version VALUES ('delivery', ${migrations.length})`);
  shared = opened;
  return opened;
}

const prepare = (text: string): Statement => {
  const known = statements.get(text);
  if (known) return known;
  const statement = sharedDatabase().connection.prepare(text);
  statements.set(text, statement);
  return statement;
};

function emptyTables(): void {
  const tables = prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'schema_version'",
  ).all();
  for (const { name } of tables) prepare(`DELETE FROM "${String(name)}"`).all();
}

/** Creates the {@link Storage} of a history, empty. */
export function createStorage({ scheduler, faults, mistakes, labelOf, onCommit }: StorageOptions): Storage {
  const { random } = scheduler;
  const { connection } = sharedDatabase();
  sharedDatabase().now = () => wallClock(scheduler.now);
  emptyTables();
  const jobs = new Map<number, JobRecord>();
  const byLabel = new Map<string, JobRecord>();
  const subscribers = new Set<{ process: SimulatedProcess; topic: string; listener: () => void }>();

  const noteJob = (seq: number): JobRecord => {
    const read = readJob(seq);
    const job = { ...read, label: labelOf(read) };
    jobs.set(seq, job);
    const name = `${job.queue} ${job.label}`;
    if (!byLabel.has(name)) byLabel.set(name, job);
    return job;
  };

  /** Compares the jobs with those after the last commit. */
  const noteJobs = (): void => {
    const seen = new Set<number>();
    for (const row of prepare('SELECT seq, state, error FROM job').all()) {
      const seq = Number(row.seq);
      seen.add(seq);
      const known = jobs.get(seq) ?? noteJob(seq);
      known.state = row.state as JobRecord['state'];
      known.error = row.error as string | null;
    }
    for (const job of jobs.values()) if (!seen.has(job.seq)) job.state = 'done';
  };

  const wayMs = (): number => {
    const { slow, slowMs } = faults();
    return random.chance(slow) ? random.between(WAY_MS, slowMs) : random.between(0.1, WAY_MS);
  };

  /** Sends a request and calls back with the answer. `execute` runs in the database, not in the process. */
  const call = <Result>(process: SimulatedProcess, name: string, execute: () => Result): Promise<Result> =>
    new Promise((resolve, reject) => {
      const { refused, answerLost } = faults();
      const isRefused = random.chance(refused);
      const isLost = random.chance(answerLost);
      // A request that has left the process runs even if the process dies; one that waits in it does not.
      const runner = random.chance(0.5) ? process : null;
      scheduler.schedule(runner, wayMs(), '', () => {
        let answer: () => void;
        try {
          if (isRefused) throw new Error('the storage is away');
          const result = execute();
          answer = isLost
            ? () => reject(new Error('the answer of the storage was lost'))
            : () => resolve(result);
        } catch (error) {
          answer = () => reject(error);
        }
        const outcome = isRefused ? ' refused' : isLost ? ' done, answer lost' : '';
        scheduler.trace(process.name, `storage: ${name}${outcome}`);
        scheduler.schedule(process, wayMs(), '', answer);
      });
    });

  const writerOf = (
    process: SimulatedProcess,
    runGroup: (commands: readonly Command[]) => unknown[],
  ): Writer => {
    const run = (...command: Command): Promise<unknown> =>
      call(process, describeCommand(command), () => {
        const [result] = runGroup([command]);
        noteJobs();
        onCommit(process, command[0]);
        return result;
      });
    return { run: run as Writer['run'], close: () => Promise.resolve() };
  };

  /** Reads happen at once in SQLite; here they take a way too, as with any other database. */
  const distant =
    <Args extends readonly unknown[], Result>(
      process: SimulatedProcess,
      read: (...args: Args) => Promise<Result>,
    ) =>
    async (...args: Args): Promise<Result> => {
      await call(process, 'read', () => undefined);
      return read(...args);
    };

  const withDistantReads = (process: SimulatedProcess, queue: Queue): Queue => {
    const methods = Object.entries(queue) as [string, (...args: unknown[]) => Promise<unknown>][];
    const wrapped = methods.map(([name, method]) => [
      name,
      READS.has(name) ? distant(process, method) : method,
    ]);
    return Object.fromEntries(wrapped) as Queue;
  };

  const notify = (topic: string): void => {
    for (const { process, topic: wanted, listener } of subscribers) {
      if (wanted !== topic || random.chance(faults().notificationLost)) continue;
      scheduler.schedule(process, wayMs(), `notified: ${topic}`, listener);
    }
  };

  return {
    jobs,
    find: (queue, label) => byLabel.get(`${queue} ${label}`),
    engineOf(process, given) {
      const settings = mistakes.settings?.(given) ?? given;
      const rewritten: Connection = {
        exec: (text) => connection.exec(text),
        prepare: (text) => prepare(mistakes.sql?.(text) ?? text),
        close: () => undefined,
      };
      const engine = createEngineOn((options) => {
        process.owner = options.owner;
        const runGroup = createGroupRunner(rewritten, options, () => undefined);
        return { connection: rewritten, writer: writerOf(process, runGroup) };
      }, settings);
      const sql: SqlDatabase = {
        ...engine.sql,
        now: CLOCK,
        read: distant(process, engine.sql.read),
        publish: notify,
        subscribe(topic, listener) {
          const subscriber = { process, topic, listener };
          subscribers.add(subscriber);
          return () => void subscribers.delete(subscriber);
        },
      };
      const queue = (name: string): Queue => withDistantReads(process, engine.queue(name));
      const wrapped: StorageEngine = { ...engine, sql, queue };
      return mistakes.engine?.(wrapped, process) ?? wrapped;
    },
    headOf(queue, conversation) {
      const [first] = prepare(
        "SELECT min(seq) AS seq FROM job WHERE queue = ? AND conversation = ? AND state = 'waiting'",
      ).all(queue, conversation);
      const [head] = prepare('SELECT owner FROM head WHERE queue = ? AND conversation = ?').all(
        queue,
        conversation,
      );
      if (first?.seq === null || first === undefined) return null;
      return { seq: Number(first.seq), owner: typeof head?.owner === 'string' ? head.owner : null };
    },
    inconsistencies: () =>
      prepare(
        `SELECT j.queue, j.conversation, count(*) AS jobs, coalesce(max(h.jobs), 0) AS counted FROM job j
         LEFT JOIN head h ON h.queue = j.queue AND h.conversation = j.conversation
         WHERE j.state = 'waiting' GROUP BY j.queue, j.conversation HAVING jobs <> counted`,
      )
        .all()
        .map((row) => `a queue lost count: ${JSON.stringify(row)}`),
    query: (text, ...values) => prepare(text).all(...values),
  };
}

function readJob(seq: number): Omit<JobRecord, 'label'> {
  const [row] = prepare('SELECT queue, conversation, type, content FROM job WHERE seq = ?').all(seq);
  return {
    seq,
    queue: row?.queue as QueueKind,
    conversation: String(row?.conversation),
    type: String(row?.type),
    content: JSON.parse(String(row?.content)),
    state: 'waiting',
    error: null,
  };
}

function describeCommand([name, ...args]: Command): string {
  if (name === 'transaction') return 'write';
  return `${name} ${args
    .slice(0, 5)
    .map((arg) => JSON.stringify(arg))
    .join(' ')
    .slice(0, 100)}`;
}
