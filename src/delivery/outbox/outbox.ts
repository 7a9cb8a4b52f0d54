import { hash, randomUUID } from 'node:crypto';
import {
  type BotDirectory,
  ClaimLost,
  checkReply,
  type HandlerRun,
  type Receipt,
  type Replies,
  type ReplyOptions,
  type TracedReply,
} from '../../events/index.js';
import { HandoffKitError } from '../../internal/index.js';
import type { DeliveryReceiver } from '../delivery.js';
import type { Fencing } from '../fencing.js';
import type { AddResult, NewJob, Queue } from '../queue.js';
import type { QueueAdmin } from '../storage/queue-admin.js';
import type { SqlDatabase } from '../storage/sql.js';
import { createWorker, type Worker, type WorkerOptions } from '../worker.js';
import { createOutboxPause, type OutboxPause } from './outbox-pause.js';
import { RECEIPTS_TOPIC, type Receipts } from './receipts.js';
import { createSendJob, type OutboxPolicy, type StoredReply } from './send-job.js';

interface OutboxesOptions {
  readonly nameOf: (bot: string) => string;
  /** The key of a conversation in the database. */
  readonly keyOf: (conversationId: string) => string;
  readonly policy: OutboxPolicy;
  readonly receipts: Receipts;
  readonly sql: SqlDatabase;
  readonly add: (queue: string, job: NewJob) => Promise<AddResult>;
  readonly addReply: Fencing['addReply'];
  readonly isClaimValid: WorkerOptions['isClaimValid'];
  /** The receiver; throws before it is connected. */
  readonly receiver: () => DeliveryReceiver;
  readonly onError: (error: unknown) => void;
}

/** Stores replies, and sends them from an outbox for each bot: the outage of one platform does not delay another's. */
export function createOutboxes(options: OutboxesOptions) {
  const { nameOf, keyOf, policy, receipts, sql, add, addReply, isClaimValid, receiver, onError } = options;
  let bots: BotDirectory | undefined;
  /** By bot. */
  const pauses = new Map<string, OutboxPause>();
  const cleanups: (() => void)[] = [];

  /** The bot of a conversation, and the reply as it is stored. Throws for one that the platform would never accept. */
  const address = (directory: BotDirectory, reply: StoredReply): { bot: string; addressed: StoredReply } => {
    const { conversationId } = reply;
    try {
      const { bot, platformId } = directory.locate(conversationId);
      const addressed = platformId === conversationId ? reply : { ...reply, platformId };
      const text = reply.kind === 'reply' ? reply.text : null;
      checkReply(directory.platformOf(bot), { conversationId: platformId, timestamp: reply.timestamp, text });
      return { bot, addressed };
    } catch (error) {
      // The caller may not wait for its reply.
      receiver().log.warn({ conversationId, err: error }, 'a reply or end was not stored');
      throw error;
    }
  };

  const store = async (
    directory: BotDirectory,
    reply: StoredReply,
    how: ReplyOptions & TracedReply = {},
    run?: HandlerRun,
  ): Promise<Receipt> => {
    const { conversationId, kind } = reply;
    const { bot, addressed } = address(directory, reply);
    // A key of the caller counts within its conversation and kind.
    const scoped = how.once === undefined ? null : JSON.stringify([conversationId, kind, how.once]);
    const key = scoped === null ? randomUUID() : hash('sha256', scoped, 'base64url');
    const outbox = nameOf(bot);
    try {
      const content = JSON.stringify({ ...addressed, trace: how.trace });
      const job = { key, conversation: keyOf(conversationId), type: kind, content };
      const { id } = await addReply(job, run, (each) => add(outbox, each));
      return receipts.open(id, conversationId);
    } catch (error) {
      if (error instanceof ClaimLost) throw error;
      onError(error);
      throw new HandoffKitError('NOT_STORED', 'the reply could not be stored.', { cause: error });
    }
  };

  /** A worker that sends the replies of a bot; `null` for a bot without a platform. */
  const startSending = (bot: string, queue: Queue, shared: SharedWorkerOptions): Worker | null => {
    const client = bots?.platformOf(bot);
    if (!client) return null;
    const pause = createOutboxPause({
      bot,
      backoff: policy,
      receiver: receiver(),
      onResume: () => worker.wake(),
    });
    const worker = createWorker({
      ...shared,
      queue,
      run: createSendJob({ bot, client, receipts, policy, pause, receiver: receiver(), isClaimValid }),
      limit: pause.limit,
      onSettled: () => sql.publish(RECEIPTS_TOPIC),
    });
    pauses.set(bot, pause);
    cleanups.push(
      sql.subscribe(nameOf(bot), () => worker.wake()),
      pause.stop,
    );
    return worker;
  };

  return {
    createReplies(directory: BotDirectory): Replies {
      bots = directory;
      const reply: Replies['reply'] = (conversationId, text, how, run) =>
        store(directory, { kind: 'reply', conversationId, text, timestamp: Date.now() }, how, run);
      return {
        reply,
        // The worker greets before it runs the handlers.
        greet: reply,
        end: (conversationId, how, run) =>
          store(directory, { kind: 'close', conversationId, timestamp: Date.now() }, how, run),
        idle: () => Promise.resolve(),
      };
    },
    /** Starts to send. Returns the workers by the names of their queues; they have to be woken. */
    start(queueOf: (name: string) => Queue, shared: SharedWorkerOptions): ReadonlyMap<string, Worker> {
      const workers = new Map<string, Worker>();
      for (const bot of bots?.names ?? []) {
        const name = nameOf(bot);
        const worker = startSending(bot, queueOf(name), shared);
        if (worker) workers.set(name, worker);
      }
      return workers;
    },
    /** Stored replies of a bot that has no platform here wait until it has one, or until an operator discards them. */
    async warnOfUnsent(admin: Pick<QueueAdmin, 'outboxes'>): Promise<void> {
      const outboxes = await admin.outboxes();
      for (const { bot, waiting } of outboxes) {
        if (waiting === 0 || pauses.has(bot)) continue;
        receiver().log.error(
          { bot, waiting },
          `stored replies of the bot ${bot} are not sent: this receiver was not told where its platform is. Configure the bot with its platform, or see: handoff-kit outbox list`,
        );
      }
    },
    /** Whether the replies of a bot, or of any, wait because the platform refuses the API key or has moved. */
    isPaused: (bot?: string): boolean =>
      [...pauses].some(([name, { isPaused }]) => isPaused && (bot === undefined || name === bot)),
    /** Ends what `start` began, once the workers were stopped. */
    stop(): void {
      for (const cleanup of cleanups) cleanup();
    },
  };
}

type SharedWorkerOptions = Pick<
  WorkerOptions,
  'concurrency' | 'pollMs' | 'isClaimValid' | 'nextClaim' | 'onError'
>;
