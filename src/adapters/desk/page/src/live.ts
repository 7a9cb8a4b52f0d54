import type { JournalEntry } from '../../api.js';

/** How the live connection stands. */
export type Connection = 'connecting' | 'live' | 'lost';

/** What {@link followLive} tells of. */
export interface LiveHandlers {
  /** Each entry comes once, in order. */
  readonly onEntry: (entry: JournalEntry) => void;
  readonly onConnection: (connection: Connection) => void;
  /** The session has ended. */
  readonly onGone: () => void;
}

/** Waits before a new try, in milliseconds; the last one is used for all that follow. */
const WAITS = [500, 1_000, 2_000, 5_000, 10_000];

/** The desk gives a sign of life every 15 s. A connection that is silent for longer is dead, and nobody said so. */
const SILENCE_MS = 40_000;

/**
 * Follows the journal after `seq`. A browser gives up on a stream that answers an error, so this comes back by itself,
 * from the last entry that was seen. Returns how to stop.
 */
export function followLive(seq: number, { onEntry, onConnection, onGone }: LiveHandlers): () => void {
  let seen = seq;
  let failures = 0;
  let source: EventSource | null = null;
  let again: ReturnType<typeof setTimeout> | undefined;
  let silence: ReturnType<typeof setTimeout> | undefined;

  const lose = (): void => {
    onConnection('lost');
    clearTimeout(silence);
    source?.close();
    clearTimeout(again);
    const wait = WAITS[Math.min(failures, WAITS.length - 1)];
    failures += 1;
    again = setTimeout(connect, wait);
  };

  const alive = (): void => {
    clearTimeout(silence);
    silence = setTimeout(lose, SILENCE_MS);
  };

  const connect = (): void => {
    clearTimeout(again);
    source?.close();
    source = new EventSource(`api/events?after=${seen}`);
    source.addEventListener('open', () => {
      failures = 0;
      alive();
      onConnection('live');
    });
    source.addEventListener('beat', alive);
    source.addEventListener('message', ({ data }: MessageEvent<string>) => {
      alive();
      const entry = JSON.parse(data) as JournalEntry;
      if (entry.seq <= seen) return;
      seen = entry.seq;
      onEntry(entry);
    });
    source.addEventListener('gone', () => {
      stop();
      onGone();
    });
    source.addEventListener('error', lose);
  };

  const stop = (): void => {
    clearTimeout(again);
    clearTimeout(silence);
    source?.close();
    removeEventListener('online', connect);
    removeEventListener('offline', lose);
  };

  onConnection('connecting');
  addEventListener('online', connect);
  addEventListener('offline', lose);
  connect();
  return stop;
}
