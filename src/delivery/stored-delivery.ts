import type { DeliveredEventName } from '../events/index.js';
import {
  type Backoff,
  checkCount,
  checkDuration,
  checkOptionNames,
  configError,
  HandoffKitError,
  settlesWithin,
} from '../internal/index.js';
import type { Delivery, DeliveryReceiver } from './delivery.js';
import { createFencing } from './fencing.js';
import { createHandleJob } from './handle-job.js';
import { type LeaseRenewal, startLeaseRenewal } from './lease-renewal.js';
import { createOutboxes } from './outbox/outbox.js';
import { createReceipts } from './outbox/receipts.js';
import { DEFAULT_OUTBOX, type OutboxPolicy } from './outbox/send-job.js';
import type { AddResult, NewJob, Queue } from './queue.js';
import { checkUnconnected, connected, createHandlerRunner } from './run-handlers.js';
import { conversationKey, DEFAULT_RECEIVER, queueNameOf, storeEvent, userIdsOf } from './storage/encoding.js';
import { createSqlHandoffStore } from './storage/handoff-store.js';
import { createQueueAdmin } from './storage/queue-admin.js';
import { startRetention } from './storage/retention.js';
import type { SqlDatabase } from './storage/sql.js';
import {
  createThrottledLog,
  type EngineDefaults,
  type EngineSettings,
  openedOnUse,
  type StorageEngine,
  useStore,
} from './storage/storage-engine.js';
import { createWorker, type Worker } from './worker.js';

/** Options of every delivery that stores events. */
export interface StoredDeliveryOptions {
  /** How often the handlers of an event may fail before it becomes a dead letter. Default 8. */
  readonly maxAttempts?: number;
  /** Delays between attempts. Default from one second to five minutes. */
  readonly backoff?: Partial<Backoff>;
  /** How long handlers may take. Default 5 minutes. */
  readonly handlerTimeoutMs?: number;
  /** Whether handled events and sent replies stay listed with their content for `rememberMs`. Default `false`. */
  readonly keepContent?: boolean;
  /** How long keys of handled events are remembered, to recognise repeats. Default 7 days. */
  readonly rememberMs?: number;
  /** How replies are sent. */
  readonly outbox?: Partial<OutboxPolicy>;
  /** How many conversations each process handles at once. */
  readonly concurrency?: number;
  /**
   * How long a process that does not respond keeps its conversations: it counts as dead when its event loop is blocked
   * for longer. Others notice that within another third of it. On Linux, processes of the same machine and container
   * notice within a quarter of a second that a process has ended.
   */
  readonly leaseMs?: number;
  /** How often to poll for jobs, in case a notification was lost. */
  readonly pollMs?: number;
  /**
   * Whether this process only stores events, for another one that handles them: on a host that freezes its processes, or
   * to keep handlers out of a web server. `start` is an error then. Default `false`.
   */
  readonly storeOnly?: boolean;
}

/** How long closing the database may take. */
const CLOSE_TIMEOUT_MS = 3_000;

const OPTION_NAMES: readonly (keyof StoredDeliveryOptions)[] = [
  'maxAttempts',
  'backoff',
  'handlerTimeoutMs',
  'keepContent',
  'rememberMs',
  'outbox',
  'concurrency',
  'leaseMs',
  'pollMs',
  'storeOnly',
];

/** Throws for unknown options of an engine's function. `own` are those that only it has. */
export function checkStoredOptions(
  name: string,
  options: StoredDeliveryOptions,
  own: readonly string[],
): void {
  checkOptionNames(name, options, [...own, ...OPTION_NAMES]);
  checkOptionNames(`backoff of ${name}`, options.backoff, ['minDelayMs', 'maxDelayMs']);
  checkOptionNames(`outbox of ${name}`, options.outbox, Object.keys(DEFAULT_OUTBOX));
}

/** If events are stored and `start` was not called within this time, an error is logged. */
const START_REMINDER_MS = 5_000;

/**
 * Creates a delivery on a database: `accept` stores an event, one worker handles it, and a worker for each bot sends the
 * replies from that bot's outbox, so that the outage of one platform does not delay the replies of another.
 */
export function createStoredDelivery(
  options: StoredDeliveryOptions,
  defaults: EngineDefaults,
  createEngine: (settings: EngineSettings) => StorageEngine,
): Delivery {
  const concurrency = checkCount('concurrency', options.concurrency ?? defaults.concurrency);
  const leaseMs = checkDuration('leaseMs', options.leaseMs ?? defaults.leaseMs);
  const pollMs = checkDuration('pollMs', options.pollMs ?? defaults.pollMs);
  const maxAttempts = checkCount('maxAttempts', options.maxAttempts ?? 8);
  const rememberMs = checkDuration('rememberMs', options.rememberMs ?? 7 * 86_400_000);
  const backoff = { minDelayMs: 1_000, maxDelayMs: 300_000, ...options.backoff };
  const policy = { ...DEFAULT_OUTBOX, ...options.outbox };
  const keepContent = options.keepContent ?? false;
  const runner = createHandlerRunner(checkDuration('handlerTimeoutMs', options.handlerTimeoutMs ?? 300_000));

  let receiver: DeliveryReceiver | undefined;
  let stopped = false;
  const onError = createThrottledLog(() => (stopped ? undefined : receiver?.log));
  const onWarning = (message: string): void => receiver?.log.warn({}, message);
  const engine = createEngine({ keepContent, leaseMs, pollMs, onError, onWarning });
  let inboxName = queueNameOf({ queue: 'inbox' });
  /** The receiver's name; `null` for the default one, and before `connect`. */
  const receiverName = (): string | null =>
    receiver && receiver.name !== DEFAULT_RECEIVER ? receiver.name : null;
  const keyOf = (conversationId: string): string => conversationKey(conversationId, receiverName());
  const sql: SqlDatabase = { ...engine.sql, receiverName };
  const queues = new Map<string, Queue>();
  const queueOf = (name: string): Queue => {
    const queue = queues.get(name) ?? engine.queue(name);
    queues.set(name, queue);
    return queue;
  };
  const inbox = (): Queue => queueOf(inboxName);
  const handoffs = createSqlHandoffStore(sql, keepContent);
  const receipts = createReceipts({ statusOf: (ids) => inbox().statusOf(ids), sql, pollMs, onError });

  let opening: Promise<void> | undefined;
  let isOpen = false;
  let starting: Promise<void> | undefined;
  let stopping: Promise<{ unfinished: number }> | undefined;
  let reminder: NodeJS.Timeout | undefined;
  /** By the names of their queues. */
  const workers = new Map<string, Worker>();
  const inboxWorker = (): Worker | undefined => workers.get(inboxName);
  const cleanups: (() => void)[] = [];

  const open = async (): Promise<void> => {
    if (stopped) throw new HandoffKitError('DELIVERY_STOPPED', 'the delivery was stopped.');
    opening ??= engine.open().then(
      () => {
        isOpen = true;
      },
      (error: unknown) => {
        opening = undefined;
        throw error;
      },
    );
    await opening;
  };

  /** Stores a job. From `start` on this is the worker's task, since it may run the job at once. */
  const add = async (
    queue: string,
    job: NewJob,
    event?: Parameters<Worker['add']>[1],
  ): Promise<AddResult> => {
    if (!isOpen) await open();
    const worker = workers.get(queue);
    const result = worker ? await worker.add(job, event) : await queueOf(queue).add(job, null);
    // Other processes are woken only if this one has no free slot: each process that wakes queries the database.
    const isWaiting = !result.isDuplicate && !result.isClaimed && !result.isRefused;
    if (isWaiting && (!worker || worker.isFull())) sql.publish(queue);
    if (!worker) remindToStart();
    return result;
  };

  const remindToStart = (): void => {
    if (starting || reminder || stopped || options.storeOnly) return;
    reminder = setTimeout(() => {
      if (starting || stopped) return;
      connected(receiver).log.error(
        {},
        'events are stored but not handled: the receiver was never started. Call await receiver.start() once all handlers are registered.',
      );
    }, START_REMINDER_MS).unref();
  };

  let lease: LeaseRenewal | undefined;
  const isClaimValid = (claim: number): boolean => lease?.isClaimValid(claim) ?? false;
  const fencing = createFencing({
    renewLease: async () => lease?.renewNow(),
    leaseMs,
    inbox,
    inboxName: () => inboxName,
    inboxWorker,
    isClaimValid,
    log: () => receiver?.log,
  });

  const outboxes = createOutboxes({
    nameOf: (bot) => queueNameOf({ queue: 'outbox', receiver: receiverName() ?? DEFAULT_RECEIVER, bot }),
    keyOf,
    policy,
    receipts,
    sql,
    add,
    addReply: fencing.addReply,
    isClaimValid,
    receiver: () => connected(receiver),
    onError,
  });

  const start = async (): Promise<void> => {
    const host = connected(receiver);
    if (options.storeOnly) {
      throw configError(
        'this receiver only stores events (storeOnly): call start() in the process that handles them.',
      );
    }
    await open();
    let claims = 0;
    lease = await startLeaseRenewal({
      lease: engine.lease,
      leaseMs,
      lastClaim: () => claims,
      onLate: (ms) =>
        host.log.warn(
          { ms, leaseMs },
          'the lease was not renewed in time, so other processes may handle again what this one was handling. Keep the event loop free and the database reachable, or raise leaseMs.',
        ),
      async onRenewed(reclaimed) {
        if (reclaimed > 0)
          host.log.warn(
            { conversations: reclaimed },
            'a process ended without being stopped; its conversations continue',
          );
        for (const worker of workers.values()) {
          await worker.releaseUnused();
          if (reclaimed > 0) worker.wake();
        }
      },
      onError,
    });
    cleanups.push(lease.stop);
    const shared = { concurrency, pollMs, isClaimValid, nextClaim: () => (claims += 1), onError };
    const reader = createWorker({
      ...shared,
      queue: inbox(),
      suspectWaitMs: leaseMs,
      run: createHandleJob({
        receiver: host,
        runner,
        backoff,
        maxAttempts,
        ensureClaimed: fencing.ensureClaimed,
        isClaimValid,
      }),
      abortRuns: () => runner.abortAll(),
    });
    workers.set(inboxName, reader);
    cleanups.push(
      sql.subscribe(inboxName, () => reader.wake()),
      startRetention({ database: sql, handoffs, rememberMs, onError }),
    );
    for (const [name, sender] of outboxes.start(queueOf, shared)) workers.set(name, sender);
    cleanups.push(() => outboxes.stop());
    for (const worker of workers.values()) worker.wake();
    await outboxes.warnOfUnsent(admin).catch(onError);
  };

  const stop = async (timeoutMs: number): Promise<{ unfinished: number }> => {
    clearTimeout(reminder);
    await starting?.catch(() => undefined);
    const deadline = performance.now() + timeoutMs;
    // Handlers may wait for their replies, so the outbox stops after them.
    const ofInbox = inboxWorker();
    const handlers = (await ofInbox?.stop(timeoutMs)) ?? 0;
    const senders = [...workers.values()].filter((worker) => worker !== ofInbox);
    const leftMs = Math.max(1, deadline - performance.now());
    const replies = await Promise.all(senders.map((sender) => sender.stop(leftMs)));
    const unfinished = replies.reduce((sum, count) => sum + count, handlers);
    if (unfinished > 0) for (const queue of workers.keys()) sql.publish(queue);
    for (const cleanup of cleanups) cleanup();
    receipts.stop();
    if (isOpen) await settlesWithin(engine.lease.end().catch(onError), CLOSE_TIMEOUT_MS);
    stopped = true;
    await settlesWithin(engine.close().catch(onError), CLOSE_TIMEOUT_MS);
    leaveStore?.();
    return { unfinished };
  };

  const opened = openedOnUse(sql, open);
  const admin = createQueueAdmin(opened, engine.forgetHooks, receiverName);
  let leaveStore: (() => void) | undefined;

  return {
    connect(to) {
      checkUnconnected(receiver);
      if (engine.location !== undefined) leaveStore = useStore(engine.location, to.name);
      receiver = to;
      inboxName = queueNameOf({ queue: 'inbox', receiver: to.name });
    },
    start() {
      starting ??= start().catch((error: unknown) => {
        starting = undefined;
        throw error;
      });
      return starting;
    },
    createReplies: (directory) => outboxes.createReplies(directory),
    async pendingEvents(conversationId) {
      await open();
      const rows = await sql.read(
        `SELECT type FROM ${sql.table('job')}
         WHERE queue = $1 AND conversation = $2 AND state = 'waiting' ORDER BY seq`,
        [inboxName, keyOf(conversationId)],
      );
      return rows.map(({ type }) => String(type) as DeliveredEventName);
    },
    async seen({ key }) {
      try {
        await open();
        return await inbox().has(key);
      } catch (error) {
        // `accept` will fail for the same reason, and the sender gets 503.
        onError(error);
        return false;
      }
    },
    async accept(event) {
      if (stopped || stopping) return 'unavailable';
      const { key, conversationId, name } = event;
      try {
        const job = {
          key,
          conversation: keyOf(conversationId),
          type: name,
          content: storeEvent(event),
          userIds: userIdsOf(event),
        };
        const { isDuplicate } = await add(inboxName, job, event);
        return isDuplicate ? 'duplicate' : 'stored';
      } catch (error) {
        onError(error);
        return 'unavailable';
      }
    },
    stop: ({ timeoutMs }) => (stopping ??= stop(timeoutMs)),
    async stats() {
      const { table } = sql;
      if (!isOpen) return { pending: 0, remembered: 0 };
      // Estimated from the range of sequence numbers: counting millions of rows would be slow.
      const [row] = await sql.read(
        `SELECT (SELECT coalesce(sum(jobs), 0) FROM ${table('head')} WHERE queue = $1) AS pending,
          (SELECT coalesce(max(seq) - min(seq) + 1, 0) FROM ${table('seen_key')}) AS keys,
          (SELECT coalesce(sum(jobs), 0) FROM ${table('head')}) AS jobs`,
        [inboxName],
      );
      const keys = Number(row?.keys);
      return { pending: Number(row?.pending), remembered: Math.max(0, keys - Number(row?.jobs)) };
    },
    isOutboxPaused: outboxes.isPaused,
    queues: admin,
    database: opened,
    handoffs: createSqlHandoffStore(opened, keepContent),
  };
}
