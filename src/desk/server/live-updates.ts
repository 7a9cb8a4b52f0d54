import type { Log } from '../../internal/index.js';
import type { ConversationUpdate } from '../api.js';
import type { StoredUpdate } from './conversations/conversation-records.js';
import { type DocumentStore, JOURNAL_TOPIC, type JournalEntry } from './store/index.js';

/** Receives updates in order, each once. */
export type UpdateListener = (updates: readonly ConversationUpdate[]) => void;

interface Subscriber {
  seq: number;
  readonly listener: UpdateListener;
  readonly onStop: () => void;
}

/** Sends new journal entries to everyone who is connected. */
export interface LiveUpdates {
  /** Calls back with all updates after `seq`, without a gap or a repeat. Returns a function that stops it. */
  subscribe(seq: number, listener: UpdateListener, onStop: () => void): () => void;
  stop(): void;
}

/** Entries read at once. */
const PAGE = 500;
/** Updates cached, so that browsers that reconnect after a short break cause no reads. */
const CACHE_SIZE = 2_000;
/** How long updates are cached: data that was deleted from the journal must not stay in memory. */
const CACHE_MS = 60_000;
/** Signals of the store can get lost, so the journal is also polled. */
const POLL_MS = 5_000;

/** The journal is read once for all subscribers. */
export function createLiveUpdates(store: DocumentStore, log: Log): LiveUpdates {
  const subscribers = new Set<Subscriber>();
  let cache: ConversationUpdate[] = [];
  let isReading = false;
  let hasChanged = false;

  const readAll = async (): Promise<void> => {
    do {
      hasChanged = false;
      for (;;) {
        const after = Math.min(...[...subscribers].map(({ seq }) => seq));
        if (subscribers.size === 0) return;
        const updates = await updatesAfter(after);
        for (const subscriber of subscribers) notify(subscriber, updates);
        if (updates.length < PAGE) break;
      }
    } while (hasChanged);
  };

  const readAfter = async (seq: number): Promise<ConversationUpdate[]> => {
    const entries = await store.read({ after: seq, topics: [JOURNAL_TOPIC.conversation], limit: PAGE });
    return entries.map(toConversationUpdate);
  };

  const updatesAfter = async (seq: number): Promise<readonly ConversationUpdate[]> => {
    cache = withoutExpired(cache);
    const first = cache[0];
    if (first && first.seq <= seq) {
      const all = [...cache, ...(await readAfter(cache.at(-1)?.seq ?? seq))];
      cache = all.slice(-CACHE_SIZE);
      return all.filter((update) => update.seq > seq).slice(0, PAGE);
    }
    const found = await readAfter(seq);
    if (!first) cache = found;
    return found;
  };

  const poll = (): void => {
    hasChanged = true;
    if (isReading || subscribers.size === 0) return;
    isReading = true;
    void readAll()
      .catch((err: unknown) => {
        // The next poll tries again.
        hasChanged = false;
        log.error({ err }, 'the desk could not read its journal');
      })
      .finally(() => {
        isReading = false;
        if (hasChanged) poll();
      });
  };

  const unwatch = store.watch(poll);
  const timer = setInterval(poll, POLL_MS).unref();

  return {
    subscribe(seq, listener, onStop) {
      const subscriber = { seq, listener, onStop };
      subscribers.add(subscriber);
      poll();
      return () => void subscribers.delete(subscriber);
    },
    stop() {
      clearInterval(timer);
      unwatch();
      for (const { onStop } of subscribers) onStop();
      subscribers.clear();
    },
  };
}

/** Removes from the front only: clocks of processes differ, and the cache must not get gaps. */
function withoutExpired(cache: ConversationUpdate[]): ConversationUpdate[] {
  const oldest = Date.now() - CACHE_MS;
  const first = cache.findIndex(({ at }) => at > oldest);
  return first < 0 ? [] : cache.slice(first);
}

function notify(subscriber: Subscriber, updates: readonly ConversationUpdate[]): void {
  const unseen = updates.filter(({ seq }) => seq > subscriber.seq);
  const last = unseen.at(-1);
  if (!last) return;
  subscriber.seq = last.seq;
  subscriber.listener(unseen);
}

/** A journal entry as the page gets it. */
export function toConversationUpdate({ seq, at, value }: JournalEntry): ConversationUpdate {
  const { summary, event } = value as StoredUpdate;
  return { seq, at: at.getTime(), summary, event };
}
