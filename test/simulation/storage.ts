import { storedEventMigrations } from '../../src/bridge/inbound/stored-events.js';
import type { Queue, QueueKind } from '../../src/delivery/queue.js';
import { type Connection, openConnection, type Statement } from '../../src/delivery/sqlite/database.js';
import { createEngineOn } from '../../src/delivery/sqlite/sqlite.js';
import { type Command, createGroupRunner, type Writer } from '../../src/delivery/sqlite/writer.js';
import { queueOwnerOf } from '../../src/delivery/storage/encoding.js';
import { deliveryMigrations } from '../../src/delivery/storage/schema.js';
import type { SqlDatabase } from '../../src/delivery/storage/sql.js';
import type { EngineSettings, StorageEngine } from '../../src/delivery/storage/storage-engine.js';
import { DANGER } from './faults.js';
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
  headOf(job: JobRecord): { readonly seq: number; readonly owner: string | null } | null;
  /** Rows of a statement, for checks. */
  query(sql: string, ...values: string[]): Readonly<Record<string, unknown>>[];
}

/** A stored event or reply. */
export interface JobRecord {
  readonly seq: number;
  readonly queue: QueueKind;
  /** The name of its queue in the database: each bot has its own outbox. */
  readonly queueName: string;
  readonly conversation: string;
  readonly type: string;
  readonly content: unknown;
  /** Its name in the history. */
  readonly label: string;
  state: 'waiting' | 'done' | 'dead';
  error: string | null;
  /** How often it has failed. */
  attempts: number;
}

/** A claim on a conversation. */
export interface Claim {
  readonly owner: string | null;
  readonly claim: number | null;
}

/** A commit, and what it has changed. */
export interface Commit {
  readonly process: SimulatedProcess;
  readonly command: Command;
  readonly result: unknown;
  /** Jobs that ended or failed, with the claim on their conversation before. */
  readonly settled: readonly { readonly job: JobRecord; readonly claim: Claim | undefined }[];
  /** Conversations whose number of jobs is wrong: some would never be found, or be waited for in vain. */
  readonly miscounted: readonly string[];
}

/** What goes wrong between a process and the database, as probabilities, and how long a way takes. */
export interface StorageFaults {
  readonly refused: number;
  /** Whether every request is refused. */
  readonly isAway: boolean;
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
  readonly onCommit: (commit: Commit) => void;
}

const CLOCK = 'simulated_now()';

/** The methods of a queue that only read. */
const READS: ReadonlySet<string> = new Set(['has', 'statusOf', 'holds']);

/** How much likelier a pause is around requests after which a process acts on what it knows of claims. */
const DANGERS: Readonly<Record<string, number>> = {
  claim: DANGER,
  reclaim: DANGER,
  add: DANGER / 5,
  read: DANGER / 5,
  write: DANGER / 5,
};

/** For how long after a pause answers get lost more often. */
const AFTER_PAUSE_MS = 100;

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
  const dialect = { dialect: 'sqlite', table: (name) => name } as SqlDatabase;
  // All of them now: the connection is used for several histories, which must not depend on one another.
  const components = {
    delivery: deliveryMigrations(dialect),
    'bridge-events': storedEventMigrations(dialect),
  };
  for (const [component, migrations] of Object.entries(components)) {
    for (const text of migrations.flat()) connection.exec(text);
    connection.exec(`INSERT INTO schema_version VALUES ('${component}', ${migrations.length})`);
  }
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
  /** The claims after the last commit. */
  const claims = new Map<string, Claim>();
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
  const noteJobs = (): Pick<Commit, 'settled' | 'miscounted'> => {
    const seen = new Set<number>();
    const waiting = new Map<string, number>();
    const settled: { job: JobRecord; claim: Claim | undefined }[] = [];
    const note = (job: JobRecord, state: JobRecord['state'], attempts: number): void => {
      if (job.state !== state || job.attempts !== attempts)
        settled.push({ job, claim: claims.get(headKey(job)) });
      Object.assign(job, { state, attempts });
    };
    for (const row of prepare('SELECT seq, state, error, attempts FROM job').all()) {
      const seq = Number(row.seq);
      seen.add(seq);
      const job = jobs.get(seq) ?? noteJob(seq);
      note(job, row.state as JobRecord['state'], Number(row.attempts));
      job.error = row.error as string | null;
      if (job.state === 'waiting') waiting.set(headKey(job), (waiting.get(headKey(job)) ?? 0) + 1);
    }
    for (const job of jobs.values())
      if (job.state === 'waiting' && !seen.has(job.seq)) note(job, 'done', job.attempts);
    claims.clear();
    const miscounted: string[] = [];
    for (const row of prepare('SELECT queue, conversation, jobs, owner, claim FROM head').all()) {
      const key = `${String(row.queue)} ${String(row.conversation)}`;
      claims.set(key, row as unknown as Claim);
      if (row.jobs !== (waiting.get(key) ?? 0)) miscounted.push(key);
      waiting.delete(key);
    }
    return { settled, miscounted: [...miscounted, ...waiting.keys()] };
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
      // Connections break during a long pause.
      const isBroken = scheduler.now - process.pausedUntil < AFTER_PAUSE_MS && process.pausedUntil > 0;
      const isLost = random.chance(isBroken && answerLost > 0 ? 0.5 : answerLost);
      // A request that has left the process runs even if the process dies; one that waits in it does not.
      const runner = random.chance(0.5) ? process : null;
      const danger = DANGERS[name.split(' ')[0] ?? ''];
      const execution = () => {
        let answer: () => void;
        try {
          if (isRefused || faults().isAway) throw new Error('the storage is away');
          const result = execute();
          answer = isLost
            ? () => reject(new Error('the answer of the storage was lost'))
            : () => resolve(result);
        } catch (error) {
          answer = () => reject(error);
        }
        const outcome = isRefused || faults().isAway ? ' refused' : isLost ? ' done, answer lost' : '';
        scheduler.trace(process.name, `storage: ${name}${outcome}`);
        scheduler.schedule(process, wayMs(), '', answer, danger);
      };
      scheduler.schedule(runner, wayMs(), '', execution, danger);
    });

  const writerOf = (
    process: SimulatedProcess,
    runGroup: (commands: readonly Command[]) => unknown[],
  ): Writer => {
    const run = (...command: Command): Promise<unknown> =>
      call(process, describeCommand(command), () => {
        const [result] = runGroup([command]);
        onCommit({ process, command, result, ...noteJobs() });
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
    async (...args: Args): Promise<Result> =>
      await call(process, 'read', () => {
        const result = read(...args);
        // Its answer may be lost.
        result.catch(() => undefined);
        return result;
      });

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
        // A random one would decide the order of rows, and Vitest does not let `randomUUID` be replaced.
        Object.assign(options, { owner: process.name });
        process.owner = process.name;
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
    headOf({ queueName, conversation }) {
      const [first] = prepare(
        "SELECT min(seq) AS seq FROM job WHERE queue = ? AND conversation = ? AND state = 'waiting'",
      ).all(queueName, conversation);
      const [head] = prepare('SELECT owner FROM head WHERE queue = ? AND conversation = ?').all(
        queueName,
        conversation,
      );
      if (first?.seq === null || first === undefined) return null;
      return { seq: Number(first.seq), owner: typeof head?.owner === 'string' ? head.owner : null };
    },
    query: (text, ...values) => prepare(text).all(...values),
  };
}

function readJob(seq: number): Omit<JobRecord, 'label'> {
  const [row] = prepare('SELECT queue, conversation, type, content FROM job WHERE seq = ?').all(seq);
  return {
    seq,
    queue: queueOwnerOf(String(row?.queue)).queue,
    queueName: String(row?.queue),
    conversation: String(row?.conversation),
    type: String(row?.type),
    content: JSON.parse(String(row?.content)),
    state: 'waiting',
    error: null,
    attempts: 0,
  };
}

const headKey = ({ queueName, conversation }: JobRecord): string => `${queueName} ${conversation}`;

function describeCommand([name, ...args]: Command): string {
  if (name === 'transaction') return 'write';
  return `${name} ${args
    .slice(0, 5)
    .map((arg) => JSON.stringify(arg))
    .join(' ')
    .slice(0, 100)}`;
}
