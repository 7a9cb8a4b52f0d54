import { randomUUID } from 'node:crypto';
import {
  type DeliveredEventName,
  type Handler,
  type HandlerContext,
  Postponed,
  runOf,
} from '../../events/index.js';
import type { Log } from '../../internal/index.js';
import type { Receiver } from '../../receiver/index.js';
import { pause } from './adapter-calls.js';

/**
 * Runs the handlers of the bridge. They wait for the helpdesk, so they run outside of the delivery's slots: a helpdesk
 * that hangs delays no other events. Conversations that wait for the helpdesk are remembered, and continue at once
 * when it answers again.
 */
export interface HelpdeskRuns {
  wrap<Name extends DeliveredEventName>(handler: Handler<Name>): Handler<Name>;
  /** Continues one of the conversations that wait. Never rejects. */
  wakeOne(): Promise<void>;
  /** Continues all of them. Never rejects. */
  wakeAll(): Promise<void>;
  /** Tells the other processes that the helpdesk answers again. Never rejects. */
  announceRecovery(): Promise<void>;
}

export interface HelpdeskRunsOptions {
  readonly receiver: Pick<Receiver, 'storage' | 'conversations'>;
  readonly adapter: string;
  readonly log: Log;
  readonly stopSignal: AbortSignal;
  /** Called when conversations wait, and another process says that the helpdesk answers again. */
  readonly onRecoveredElsewhere: () => void;
}

/** At most this many at once. More are postponed for about a second. */
const MAX_RUNS = 100;
const FULL_WAIT_MS = 1_000;

/** Bounds memory. Those beyond it continue after their delay. */
const MAX_WAITING = 100_000;

/** A conversation that was postponed in the same moment may not be stored yet, so those still waiting are woken again. */
const WAKE_ROUNDS = 3;
const WAKE_EVERY_MS = 1_000;

/** Wakes this many at a time, so that others can use the database in between. */
const WAKE_AT_ONCE = 10;

/** Without stored delivery, postponed events wait in memory and cannot be woken. */
export function createHelpdeskRuns(options: HelpdeskRunsOptions): HelpdeskRuns {
  const { receiver, log, stopSignal } = options;
  const { queues } = receiver.storage;
  const waiting = new Set<string>();
  let running = 0;
  const news = createRecoveryNews(options, () => waiting.size > 0);

  const wake = async (conversationId: string): Promise<boolean> => {
    const [job] = (await queues?.list('inbox', { state: 'waiting', conversationId, limit: 1 })) ?? [];
    if (job) await queues?.retry('inbox', job.id);
    // Handled by another process meanwhile.
    else waiting.delete(conversationId);
    return job !== undefined;
  };

  const wakeSome = async (conversationIds: readonly string[]): Promise<void> => {
    try {
      for (let from = 0; from < conversationIds.length; from += WAKE_AT_ONCE)
        await Promise.all(conversationIds.slice(from, from + WAKE_AT_ONCE).map(wake));
    } catch (error) {
      log.warn({ err: error }, 'waiting conversations could not be woken; they continue after their delay');
    }
  };

  const runOutside = async (context: HandlerContext<DeliveredEventName>, run: () => unknown) => {
    if (running >= MAX_RUNS) {
      const retryAfterMs = FULL_WAIT_MS * (0.5 + Math.random());
      throw new Postponed('too many events wait for the helpdesk.', { retryAfterMs });
    }
    running += 1;
    const task = async (): Promise<unknown> => run();
    try {
      return await (runOf(context)?.withoutSlot?.(task) ?? task());
    } finally {
      running -= 1;
    }
  };

  return {
    wrap: (handler) => async (context) => {
      const { conversationId } = context as HandlerContext<DeliveredEventName>;
      try {
        await runOutside(context, () => handler(context));
        waiting.delete(conversationId);
      } catch (error) {
        if (error instanceof Postponed && waiting.size < MAX_WAITING) {
          if (waiting.size === 0) news.follow();
          waiting.add(conversationId);
        }
        throw error;
      }
    },
    async wakeOne() {
      try {
        for (const conversationId of waiting) {
          // Another one next time.
          waiting.delete(conversationId);
          waiting.add(conversationId);
          if (await wake(conversationId)) return;
        }
      } catch (error) {
        log.warn({ err: error }, 'no waiting conversation could be woken; one continues after its delay');
      }
    },
    announceRecovery: () => news.announce(),
    async wakeAll() {
      for (let round = 1; round <= WAKE_ROUNDS && waiting.size > 0; round += 1) {
        if (round > 1) await pause(WAKE_EVERY_MS, stopSignal);
        await wakeSome([...waiting]);
      }
    },
  };
}

/**
 * Tells the processes that share a database when one of them finds that the helpdesk answers again. Notifications also
 * arrive without cause, on SQLite with each change of the file, so a value in the database says whether there is news.
 */
function createRecoveryNews(
  { receiver, adapter, log, stopSignal, onRecoveredElsewhere }: HelpdeskRunsOptions,
  isAwaited: () => boolean,
) {
  const { database } = receiver.storage;
  const { store } = receiver.conversations.lifecycle;
  const name = `bridge recovered ${adapter}`;
  let latest: string | null | undefined;
  let isFollowing = false;
  let isReading = false;

  const read = async (): Promise<void> => {
    if (isReading || stopSignal.aborted) return;
    isReading = true;
    try {
      const before = latest;
      latest = await store.cursor(name);
      if (before !== undefined && latest !== before && isAwaited()) onRecoveredElsewhere();
    } catch (error) {
      log.warn({ err: error }, 'could not read whether the helpdesk answers other processes');
    } finally {
      isReading = false;
    }
  };

  return {
    /** Never rejects. */
    async announce(): Promise<void> {
      // With inline delivery there are no other processes.
      if (!database) return;
      try {
        const value = randomUUID();
        // If another process announces at the same time, one is enough.
        await store.moveCursor(name, await store.cursor(name), value);
        latest = value;
        database.publish(name);
      } catch (error) {
        log.warn({ err: error }, 'other processes were not told that the helpdesk answers again');
      }
    },
    /** Listens for recoveries from now on. */
    follow(): void {
      if (!database || stopSignal.aborted) return;
      // Earlier recoveries are old news.
      latest = undefined;
      void read();
      if (isFollowing) return;
      isFollowing = true;
      const unsubscribe = database.subscribe(name, () => {
        if (isAwaited()) void read();
      });
      stopSignal.addEventListener('abort', unsubscribe, { once: true });
    },
  };
}
