import { randomUUID } from 'node:crypto';
import type { ServiceClient } from '../../client/index.js';
import type { Replies, ReplyOptions } from '../../events/index.js';
import { duration, HandoffKitError, quantityOf, within } from '../../internal/index.js';
import type { Delivery, DeliveryHost } from '../delivery.js';
import { createHandlerRuns } from '../handler-run.js';
import { createHandling } from '../handling.js';
import { checkReply, DEFAULT_OUTBOX, replyKey, type StoredReply } from '../outbox.js';
import { createSending } from '../sending.js';
import type { StoredOptions } from '../stored-options.js';
import { createConversationTable } from './conversations.js';
import { openDatabase } from './database.js';
import { createHandoffStore } from './handoff-store.js';
import { createMarks } from './marks.js';
import { createQueueReads } from './queue-reads.js';
import { followReceipts } from './receipts.js';
import { createShelf } from './shelf.js';
import { createStoredQueues } from './stored-queues.js';
import { createSweeper } from './sweeper.js';
import { createThreadWriter, hasThread, THREAD } from './thread-writer.js';
import { createWorker, type Worker } from './worker.js';
import { openWriter } from './writer.js';

/** Settings of {@link sqlite}. */
export interface SqliteOptions extends StoredOptions {
  /** The database file. It is made when it is not there; its folder must be. */
  readonly file: string;
  /** How many conversations are handled side by side. Default 16. */
  readonly concurrency?: number;
  /** How long a conversation stays with a process that gives no sign of life. Default 6 seconds. */
  readonly leaseMs?: number;
  /** How often to look for what other processes on the same file have stored. Default 500 ms. */
  readonly pollMs?: number;
}

/** Handlers are registered after the receiver was made; work begins when they have had time for it. */
const START_AFTER_MS = 100;

/**
 * Keeps events and replies in a file, without a server: 200 means that the event is on disk. Several processes
 * of one machine may share the file. What is written is written in a thread of its own; a bundler that packs this
 * package into one file leaves its code behind, and then the event loop waits for the disk.
 */
export function sqlite(options: SqliteOptions): Delivery {
  return sqliteWith(options, THREAD);
}

/** The same, with the code of its thread from elsewhere. Where there is none, it writes in the caller's thread. */
export function sqliteWith(options: SqliteOptions, thread: URL): Delivery {
  const concurrency = quantityOf('concurrency', options.concurrency ?? 16);
  const maxAttempts = quantityOf('maxAttempts', options.maxAttempts ?? 8);
  const leaseMs = duration('leaseMs', options.leaseMs ?? 6_000);
  const pollMs = duration('pollMs', options.pollMs ?? 500);
  const rememberMs = duration('rememberMs', options.rememberMs ?? 7 * 86_400_000);
  const backoff = { minDelayMs: 1_000, maxDelayMs: 300_000, ...options.backoff };
  const policy = { ...DEFAULT_OUTBOX, ...options.outbox };
  const keepContent = options.keepContent ?? false;

  const writing = { keepContent, owner: randomUUID(), leaseMs };
  const database = openDatabase(options.file);
  const writer = hasThread(thread)
    ? createThreadWriter(thread, { file: options.file, ...writing })
    : openWriter(database, writing);
  const inbox = createQueueReads(database, 'inbox');
  const outbox = createQueueReads(database, 'outbox');
  const conversations = createConversationTable(database, keepContent);
  const marks = createMarks(database);
  const runs = createHandlerRuns(duration('handlerTimeoutMs', options.handlerTimeoutMs ?? 300_000));
  const shelf = createShelf(database, writer, pollMs);
  const queues = createStoredQueues(database, writer, () => undefined);
  const workers: { inbox?: Worker; outbox?: Worker } = {};
  let host: DeliveryHost | undefined;
  let starting: NodeJS.Timeout | undefined;
  let sweeper: { stop(): void } | undefined;
  let service: ServiceClient | null = null;
  let stopped = false;
  let stopping: Promise<{ unfinished: number }> | undefined;

  const onTrouble = (error: unknown): void => {
    if (!stopped)
      started(host).log.error({ err: error, file: options.file }, 'the database cannot be written');
  };
  const receipts = followReceipts({ outbox, pollMs, onTrouble });
  const shared = { writer, concurrency, leaseMs, pollMs, onTrouble };

  const begin = (): Worker => {
    clearTimeout(starting);
    if (workers.inbox) return workers.inbox;
    const to = started(host);
    const attempt = createHandling({ host: to, runs, backoff, maxAttempts });
    const handling = createWorker({ ...shared, queue: 'inbox', attempt });
    workers.inbox = handling;
    sweeper = createSweeper({ writer, rememberMs, onTrouble });
    if (service) {
      const send = createSending({ client: service, receipts, policy, host: to });
      workers.outbox = createWorker({ ...shared, queue: 'outbox', attempt: send });
    }
    return handling;
  };

  const store = async (conversationId: string, reply: StoredReply, how: ReplyOptions = {}) => {
    checkReply(service, conversationId, reply);
    const key = replyKey(conversationId, how, randomUUID());
    const receipt = receipts.open(key, conversationId);
    try {
      const item = { key, conversationId, content: [JSON.stringify(reply)] };
      await writer.write('addReply', item, Date.now());
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

  const leave = async (timeoutMs: number): Promise<{ unfinished: number }> => {
    clearTimeout(starting);
    sweeper?.stop();
    const deadline = Date.now() + timeoutMs;
    const handlers = (await workers.inbox?.stop(timeoutMs)) ?? 0;
    // Handlers may wait for what they said, so replies go out for as long as handlers run.
    const replies = (await workers.outbox?.stop(Math.max(0, deadline - Date.now()))) ?? 0;
    receipts.stop();
    runs.abortAll();
    shelf.stop();
    await within(writer.write('release').catch(onTrouble), 1_000);
    stopped = true;
    await writer.close();
    database.close();
    return { unfinished: handlers + replies };
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
        end: (id, how) => store(id, { kind: 'close', timestamp: Date.now() }, how),
        idle: () => Promise.resolve(),
      };
    },
    async seen(event) {
      try {
        return await writer.write('knows', event.key, event.conversationId);
      } catch (error) {
        // Whoever accepts the event finds the same trouble, and says so to the sender.
        onTrouble(error);
        return false;
      }
    },
    accept(event) {
      return stopped ? 'unavailable' : begin().store(event);
    },
    // Whoever stops it again waits for the same end.
    stop: ({ timeoutMs }) => (stopping ??= leave(timeoutMs)),
    stats: () => inbox.stats(),
    queues,
    shelf,
    handoffs: createHandoffStore({ conversations, marks, writer }),
  };
}

function started(host: DeliveryHost | undefined): DeliveryHost {
  if (host) return host;
  throw new HandoffKitError('NOT_STARTED', 'a delivery must be handed to createReceiver before it is used.');
}
