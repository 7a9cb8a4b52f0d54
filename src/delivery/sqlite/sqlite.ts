import { randomUUID } from 'node:crypto';
import { type Replies, type ReplyOptions, within } from '../../events/index.js';
import { duration, HandoffKitError, quantityOf } from '../../protocol/index.js';
import type { ServiceClient } from '../../service/index.js';
import type { Backoff } from '../backoff.js';
import type { Delivery, DeliveryHost } from '../delivery.js';
import { createHandlerRuns } from '../handler-run.js';
import { checkReply, DEFAULT_OUTBOX, type OutboxPolicy, replyKey, type StoredReply } from '../outbox.js';
import { peopleOf, storeEvent } from '../stored-event.js';
import { openDatabase } from './database.js';
import { createGroupCommit } from './group-commit.js';
import { createHandling } from './inbox.js';
import { createPeople } from './people.js';
import { createQueue } from './queue.js';
import { followReceipts } from './receipts.js';
import { createSending } from './sending.js';
import { createStoredQueues } from './stored-queues.js';
import { createSweeper } from './sweeper.js';
import { createWorker, type Worker } from './worker.js';

/** Settings of {@link sqlite}. */
export interface SqliteOptions {
  /** The database file. It is made when it is not there; its folder must be. */
  readonly file: string;
  /** How many conversations are handled side by side. Default 16. */
  readonly concurrency?: number;
  /** How often an event is tried before it is parked as dead. Default 8. */
  readonly maxAttempts?: number;
  /** How waits grow between attempts. Default from one second to five minutes. */
  readonly backoff?: Partial<Backoff>;
  /** How long handlers may take. Default 5 minutes. */
  readonly handlerTimeoutMs?: number;
  /** Whether handled events and sent replies keep their content until they are forgotten. Default `false`. */
  readonly keepContent?: boolean;
  /** How long what was done is remembered, to tell repeats. Default 7 days. */
  readonly rememberMs?: number;
  /** How replies are sent. */
  readonly outbox?: Partial<OutboxPolicy>;
  /** How long a conversation stays with a process that gives no sign of life. Default 6 seconds. */
  readonly leaseMs?: number;
  /** How often to look for what other processes on the same file have stored. Default 500 ms. */
  readonly pollMs?: number;
}

/** Handlers are registered after the receiver was made; work begins when they have had time for it. */
const START_AFTER_MS = 100;

/**
 * Keeps events and replies in a file, without a server: 200 means that the event is on disk. Several processes
 * of one machine may share the file.
 */
export function sqlite(options: SqliteOptions): Delivery {
  const concurrency = quantityOf('concurrency', options.concurrency ?? 16);
  const maxAttempts = quantityOf('maxAttempts', options.maxAttempts ?? 8);
  const leaseMs = duration('leaseMs', options.leaseMs ?? 6_000);
  const pollMs = duration('pollMs', options.pollMs ?? 500);
  const rememberMs = duration('rememberMs', options.rememberMs ?? 7 * 86_400_000);
  const backoff = { minDelayMs: 1_000, maxDelayMs: 300_000, ...options.backoff };
  const policy = { ...DEFAULT_OUTBOX, ...options.outbox };
  const keepContent = options.keepContent ?? false;

  const database = openDatabase(options.file);
  const commit = createGroupCommit(database);
  const inbox = createQueue(database, 'inbox');
  const outbox = createQueue(database, 'outbox');
  const people = createPeople(database);
  const runs = createHandlerRuns(duration('handlerTimeoutMs', options.handlerTimeoutMs ?? 300_000));
  const queues = createStoredQueues(database, commit, () => undefined);
  const workers: { inbox?: Worker; outbox?: Worker } = {};
  let host: DeliveryHost | undefined;
  let starting: NodeJS.Timeout | undefined;
  let sweeper: { stop(): void } | undefined;
  let service: ServiceClient | null = null;
  let stopped = false;

  const onTrouble = (error: unknown): void => {
    if (!stopped)
      started(host).log.error({ err: error, file: options.file }, 'the database cannot be written');
  };
  const receipts = followReceipts({ outbox, pollMs, onTrouble });
  const shared = { commit, owner: randomUUID(), concurrency, leaseMs, pollMs, onTrouble };

  const begin = (): void => {
    clearTimeout(starting);
    if (stopped || workers.inbox) return;
    const to = started(host);
    const attempt = createHandling({ host: to, runs, backoff, maxAttempts, keepContent });
    workers.inbox = createWorker({ ...shared, queue: inbox, attempt });
    sweeper = createSweeper({ commit, queues: [inbox, outbox], rememberMs, onTrouble });
    if (!service) return;
    const report: DeliveryHost['report'] = (error, place) => to.report(error, place);
    const send = createSending({ client: service, receipts, policy, keepContent, report });
    workers.outbox = createWorker({ ...shared, queue: outbox, attempt: send });
  };

  const store = async (conversationId: string, reply: StoredReply, how: ReplyOptions = {}) => {
    checkReply(service, conversationId, reply);
    const key = replyKey(conversationId, how, randomUUID());
    const receipt = receipts.open(key, conversationId);
    try {
      const item = { key, lane: conversationId, content: JSON.stringify(reply) };
      await commit.write(() => outbox.add(item, Date.now()));
    } catch (error) {
      onTrouble(error);
      const failure = new HandoffKitError('NOT_STORED', 'the reply could not be stored.', { cause: error });
      receipts.failed(key, failure);
      throw failure;
    }
    receipts.stored(key);
    workers.outbox?.wake();
    return receipt;
  };

  return {
    start(deliveryHost) {
      host = deliveryHost;
      starting = setTimeout(begin, START_AFTER_MS);
    },
    createReplies(client): Replies {
      service = client;
      return {
        reply: (id, text, how) => store(id, { kind: 'reply', text, timestamp: Date.now() }, how),
        close: (id, how) => store(id, { kind: 'close', timestamp: Date.now() }, how),
        idle: () => Promise.resolve(),
      };
    },
    seen(event) {
      try {
        return inbox.knows(event.key);
      } catch (error) {
        // Whoever accepts the event finds the same trouble, and says so to the sender.
        onTrouble(error);
        return false;
      }
    },
    async accept(event) {
      const item = { key: event.key, lane: event.conversationId, content: storeEvent(event) };
      try {
        const added = await commit.write(() => {
          const now = Date.now();
          if (!inbox.add(item, now)) return false;
          for (const person of peopleOf(event)) people.note(person, item.lane, now);
          return true;
        });
        if (!added) return 'duplicate';
      } catch (error) {
        onTrouble(error);
        return 'unavailable';
      }
      begin();
      workers.inbox?.wake();
      return 'stored';
    },
    async stop({ timeoutMs }) {
      clearTimeout(starting);
      sweeper?.stop();
      const deadline = Date.now() + timeoutMs;
      const handlers = (await workers.inbox?.stop(timeoutMs)) ?? 0;
      // Handlers may wait for what they said, so replies go out for as long as handlers run.
      const replies = (await workers.outbox?.stop(Math.max(0, deadline - Date.now()))) ?? 0;
      receipts.stop();
      runs.abortAll();
      const release = () => [inbox, outbox].map((queue) => queue.release(shared.owner));
      await within(commit.write(release).catch(onTrouble), 1_000);
      stopped = true;
      database.close();
      return { unfinished: handlers + replies };
    },
    stats: () => inbox.stats(),
    queues,
  };
}

function started(host: DeliveryHost | undefined): DeliveryHost {
  if (host) return host;
  throw new HandoffKitError('NOT_STARTED', 'a delivery must be handed to createReceiver before it is used.');
}
