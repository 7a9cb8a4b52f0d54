import { randomUUID } from 'node:crypto';
import type { SqlDatabase } from '../../delivery/index.js';
import type { HandoffStore } from '../../handoff/index.js';
import type { Log } from '../../internal/index.js';

/** Tells the processes that share a database when one of them finds that the helpdesk answers again. */
export interface RecoveryNews {
  /** Tells the others. Never rejects. */
  announce(): Promise<void>;
  /** Listens for what others tell from now on. */
  follow(): void;
}

export interface RecoveryNewsOptions {
  /** `null` with inline delivery: there are no others. */
  readonly database: SqlDatabase | null;
  readonly store: HandoffStore;
  readonly adapter: string;
  readonly log: Log;
  readonly stopSignal: AbortSignal;
  /** Whether there is anything to do when the helpdesk answers again. */
  readonly isAwaited: () => boolean;
  readonly onRecovered: () => void;
}

/**
 * Creates {@link RecoveryNews}. Notifications also arrive without cause, on SQLite with each change of the file, so a
 * value in the database says whether there is news.
 */
export function createRecoveryNews(options: RecoveryNewsOptions): RecoveryNews {
  const { database, store, adapter, log, stopSignal, isAwaited, onRecovered } = options;
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
      if (before !== undefined && latest !== before && isAwaited()) onRecovered();
    } catch (error) {
      log.warn({ err: error }, 'could not read whether the helpdesk answers other processes');
    } finally {
      isReading = false;
    }
  };

  return {
    async announce() {
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
    follow() {
      if (!database || stopSignal.aborted) return;
      // What was told before is no news.
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
