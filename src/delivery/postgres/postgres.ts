import type { ServiceClient } from '../../client/index.js';
import type { Replies } from '../../events/index.js';
import { duration, HandoffKitError, quantityOf } from '../../internal/index.js';
import type { Delivery, DeliveryHost } from '../delivery.js';
import { createHandlerRuns } from '../handler-run.js';
import { createHandling } from '../handling.js';
import { DEFAULT_OUTBOX } from '../outbox.js';
import { createSending } from '../sending.js';
import { peopleOf, storeEvent } from '../stored-event.js';
import type { StoredOptions } from '../stored-options.js';
import type { QueueName } from '../stored-queues.js';
import { checkConnection, type PostgresConnection } from './connection.js';
import { type Counts, createCounts } from './counts.js';
import { openDatabase, QUEUES } from './database.js';
import { followReceipts } from './followed-receipts.js';
import { createHandoffStore } from './handoff-store.js';
import { inTime } from './in-time.js';
import { idOf } from './job.js';
import { checkBossInstalled } from './load-boss.js';
import { createPeople } from './people.js';
import { createSettle } from './settle.js';
import { createShelf } from './shelf.js';
import { createSignals } from './signals.js';
import { createStoredQueues } from './stored-queues.js';
import { createStoredReplies } from './stored-replies.js';
import { createTrouble } from './trouble.js';
import { createWorker, type Worker } from './worker.js';
import { createWriter } from './writer.js';

export type { PostgresConnection } from './connection.js';

/** Settings of {@link postgres}. */
export interface PostgresOptions extends PostgresConnection, StoredOptions {
  /** How many conversations each process handles side by side. Default 32. */
  readonly concurrency?: number;
  /**
   * How long an event or reply stays with a process that gives no sign of life; the same for all that share a
   * database. A process whose event loop is blocked for longer counts as dead. Default 8 seconds.
   */
  readonly leaseMs?: number;
  /** How often to look for work that nobody told of. Default 1 second. */
  readonly pollMs?: number;
  /** How long storing an event may take before the sender is told to try again. Default 5 seconds. */
  readonly storeTimeoutMs?: number;
}

/** Handlers are registered after the receiver was made; work begins when they have had time for it. */
const START_AFTER_MS = 100;

/** What was remembered for long enough is looked for this often: at least, and at most. */
const PRUNE_EVERY_MS = { min: 1_000, max: 3_600_000 };

/**
 * Keeps events and replies in PostgreSQL, with pg-boss: 200 means that the database has committed the event.
 * Any number of processes on any number of machines may share a database and a schema; they share the work.
 */
export function postgres(options: PostgresOptions): Delivery {
  checkBossInstalled();
  const connection = checkConnection(options);
  const concurrency = quantityOf('concurrency', options.concurrency ?? 32);
  const maxAttempts = quantityOf('maxAttempts', options.maxAttempts ?? 8);
  const leaseMs = duration('leaseMs', options.leaseMs ?? 8_000);
  const pollMs = duration('pollMs', options.pollMs ?? 1_000);
  const rememberMs = duration('rememberMs', options.rememberMs ?? 7 * 86_400_000);
  const storeTimeoutMs = duration('storeTimeoutMs', options.storeTimeoutMs ?? 5_000);
  const backoff = { minDelayMs: 1_000, maxDelayMs: 300_000, ...options.backoff };
  const policy = { ...DEFAULT_OUTBOX, ...options.outbox };
  const keepContent = options.keepContent ?? false;
  const runs = createHandlerRuns(duration('handlerTimeoutMs', options.handlerTimeoutMs ?? 300_000));

  let host: DeliveryHost | undefined;
  let service: ServiceClient | null = null;
  let starting: NodeJS.Timeout | undefined;
  let pruning: NodeJS.Timeout | undefined;
  let counts: Counts | undefined;
  let stopped = false;
  const workers: { inbox?: Worker; outbox?: Worker } = {};

  const trouble = createTrouble(() => (stopped ? undefined : host?.log));
  const database = openDatabase({ connection, rememberMs, onTrouble: trouble });
  const people = createPeople(database);
  const handoffs = createHandoffStore({ database, timeoutMs: storeTimeoutMs, keepContent });
  const signals = createSignals(database, trouble);
  const shelf = createShelf({ database, timeoutMs: storeTimeoutMs, tell: () => signals.send('shelf') });
  const receipts = followReceipts({ database, pollMs, onTrouble: trouble });
  const writing = { database, people, rememberMs, timeoutMs: storeTimeoutMs };
  const inbox = createWriter({ ...writing, queue: 'inbox' });
  const outbox = createWriter({ ...writing, queue: 'outbox' });
  const settleOf = (queue: QueueName) => createSettle({ database, queue, keepContent, onTrouble: trouble });
  const working = { database, concurrency, leaseMs, pollMs, trouble };

  const prune = (): void => {
    people.prune(rememberMs).catch(trouble);
    handoffs.prune(new Date(Date.now() - rememberMs)).catch(trouble);
  };

  const begin = (): void => {
    clearTimeout(starting);
    if (stopped || workers.inbox) return;
    const to = started(host);
    workers.inbox = createWorker({
      ...working,
      queue: 'inbox',
      settle: settleOf('inbox'),
      attempt: createHandling({ host: to, runs, backoff, maxAttempts }),
      onEnd: (ending) => counts?.ended(ending),
      onFull: () => signals.send('inbox'),
    });
    pruning = setInterval(
      prune,
      Math.min(PRUNE_EVERY_MS.max, Math.max(PRUNE_EVERY_MS.min, rememberMs)),
    ).unref();
    signals.listen((signal) => {
      if (signal === 'receipts') receipts.look();
      else if (signal === 'shelf') shelf.changedElsewhere();
      else workers[signal]?.wake();
    });
    if (!service) return;
    workers.outbox = createWorker({
      ...working,
      queue: 'outbox',
      settle: settleOf('outbox'),
      attempt: createSending({ client: service, receipts, policy, host: to }),
      onEnd: ({ state }) => {
        if (state !== 'waiting') signals.send('receipts');
      },
      onFull: () => signals.send('outbox'),
    });
  };

  /** Others are told only of what there is no hand free for here: each that wakes looks into the queue. */
  const stored = (queue: QueueName): void => {
    const worker = workers[queue];
    worker?.wake();
    if (!worker || worker.isFull()) signals.send(queue);
  };

  return {
    start(deliveryHost) {
      host = deliveryHost;
      counts = createCounts(database, trouble);
      starting = setTimeout(begin, START_AFTER_MS);
    },
    createReplies(client): Replies {
      service = client;
      const onStored = () => stored('outbox');
      return createStoredReplies({ client, writer: outbox, receipts, onStored, onTrouble: trouble });
    },
    async seen(event) {
      const find = `SELECT FROM ${connection.schema}.job WHERE name = 'inbox' AND id = $1`;
      try {
        return (await inTime(database.run(find, [idOf(event.key)]), storeTimeoutMs)).length > 0;
      } catch (error) {
        trouble(error);
        return false;
      }
    },
    async accept(event) {
      if (stopped) return 'unavailable';
      const { key, conversationId, name } = event;
      try {
        const item = { key, conversationId, what: name, content: storeEvent(event) };
        if (!(await inbox.add(item, peopleOf(event)))) return 'duplicate';
      } catch (error) {
        trouble(error);
        return 'unavailable';
      }
      begin();
      counts?.stored();
      stored('inbox');
      return 'stored';
    },
    async stop({ timeoutMs }) {
      clearTimeout(starting);
      clearInterval(pruning);
      const ends = await Promise.all([workers.inbox?.stop(timeoutMs), workers.outbox?.stop(timeoutMs)]);
      const unfinished = ends.reduce<number>((sum, count) => sum + (count ?? 0), 0);
      runs.abortAll();
      if (unfinished > 0) for (const queue of QUEUES) signals.send(queue);
      stopped = true;
      counts?.stop();
      receipts.stop();
      await leave([() => signals.stop(), () => database.close()]);
      return { unfinished };
    },
    stats: () => counts?.now() ?? { pending: 0, remembered: 0 },
    queues: createStoredQueues(database, signals, () => Promise.resolve()),
    handoffs,
    shelf,
  };
}

/** How long each farewell to the database may take, which may be away. */
const LEAVE_WITHIN_MS = 3_000;

async function leave(farewells: readonly (() => Promise<void>)[]): Promise<void> {
  for (const farewell of farewells) await inTime(farewell(), LEAVE_WITHIN_MS).catch(() => undefined);
}

function started(host: DeliveryHost | undefined): DeliveryHost {
  if (host) return host;
  throw new HandoffKitError('NOT_STARTED', 'a delivery must be handed to createReceiver before it is used.');
}
