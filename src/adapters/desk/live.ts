import type { Entry, Shelf } from '../../delivery/index.js';
import type { Log } from '../../internal/index.js';
import type { JournalEntry } from './api.js';
import { type StoredHappening, TOPIC } from './book/record.js';

/** Hears of entries in their order, each once. */
export type Listener = (entries: readonly JournalEntry[]) => void;

interface Follower {
  seq: number;
  readonly listener: Listener;
  readonly onStop: () => void;
}

/** The journal as it grows, for everybody who looks on. */
export interface Live {
  /**
   * Calls back with what comes after `seq`, from the journal first and live then, without a gap or a repeat.
   * Returns how to stop.
   */
  follow(seq: number, listener: Listener, onStop: () => void): () => void;
  stop(): void;
}

/** Entries read at once. */
const PAGE = 500;
/** Entries kept at hand, so that those who come back after a short break cost no reading. */
const AT_HAND = 2_000;
/** And for so long: what was removed from the journal must not stay here. */
const AT_HAND_MS = 60_000;
/** Signals can get lost; so often it looks by itself. */
const LOOK_EVERY_MS = 5_000;

/** Makes {@link Live}. The journal is read once for all who follow. */
export function createLive(shelf: Shelf, log: Log): Live {
  const followers = new Set<Follower>();
  let atHand: JournalEntry[] = [];
  let isReading = false;
  let again = false;

  const readOn = async (): Promise<void> => {
    do {
      again = false;
      for (;;) {
        const after = Math.min(...[...followers].map(({ seq }) => seq));
        if (followers.size === 0) return;
        const entries = await entriesAfter(after);
        for (const follower of followers) tell(follower, entries);
        if (entries.length < PAGE) break;
      }
    } while (again);
  };

  const entriesAfter = async (seq: number): Promise<readonly JournalEntry[]> => {
    atHand = latest(atHand);
    const first = atHand[0];
    if (first && first.seq <= seq) {
      const last = atHand.at(-1)?.seq ?? seq;
      const more = await shelf.read({ after: last, topics: [TOPIC.desk], limit: PAGE });
      const all = [...atHand, ...more.map(toJournalEntry)];
      atHand = all.slice(-AT_HAND);
      return all.filter((entry) => entry.seq > seq).slice(0, PAGE);
    }
    const found = (await shelf.read({ after: seq, topics: [TOPIC.desk], limit: PAGE })).map(toJournalEntry);
    if (!first) atHand = found;
    return found;
  };

  const look = (): void => {
    again = true;
    if (isReading || followers.size === 0) return;
    isReading = true;
    void readOn()
      .catch((err: unknown) => {
        // Tried again by the clock, not at once.
        again = false;
        log.error({ err }, 'the journal of the desk could not be read');
      })
      .finally(() => {
        isReading = false;
        if (again) look();
      });
  };

  const unwatch = shelf.watch(look);
  const timer = setInterval(look, LOOK_EVERY_MS);
  timer.unref();

  return {
    follow(seq, listener, onStop) {
      const follower = { seq, listener, onStop };
      followers.add(follower);
      look();
      return () => void followers.delete(follower);
    },
    stop() {
      clearInterval(timer);
      unwatch();
      for (const { onStop } of followers) onStop();
      followers.clear();
    },
  };
}

/** Only from the front: the clocks of others may differ, and nothing between two entries may go. */
function latest(entries: JournalEntry[]): JournalEntry[] {
  const oldest = Date.now() - AT_HAND_MS;
  const first = entries.findIndex(({ at }) => at > oldest);
  return first < 0 ? [] : entries.slice(first);
}

function tell(follower: Follower, entries: readonly JournalEntry[]): void {
  const fresh = entries.filter(({ seq }) => seq > follower.seq);
  const last = fresh.at(-1);
  if (!last) return;
  follower.seq = last.seq;
  follower.listener(fresh);
}

/** An entry of the shelf, as the page knows it. */
export function toJournalEntry({ seq, at, value }: Entry): JournalEntry {
  const { summary, happening } = value as StoredHappening;
  return { seq, at: at.getTime(), summary, happening };
}
