/** How much to fetch, and when. To look costs the engine more the more there is waiting, so it is not done too often. */
export interface Pace {
  /** An attempt has ended. */
  ended(): void;
  /** How many to fetch, when so many are at work or wait for a hand. 0: none. */
  room(taken: number): number;
  /** How long to wait before so many are fetched. */
  pauseMs(room: number): number;
  /** So many were asked for, and so many came, after so long. */
  looked(asked: number, came: number, tookMs: number): void;
}

/** What {@link createPace} needs. */
export interface PaceParts {
  /** How many are worked on side by side. */
  readonly concurrency: number;
  /** Whether to fetch what there is no hand free for yet, where hands are quick and there is much to do. */
  readonly ahead: boolean;
}

/** What is fetched ahead is at most as much as this process does in this time: another may be free sooner. */
const AHEAD_MS = 100;

/** At most so many times of what is worked on side by side. */
const AHEAD_TIMES = 4;

/** Between looks for a few, while there is a backlog. */
const PAUSE_MS = 20;

/** Makes a {@link Pace}. */
export function createPace({ concurrency, ahead }: PaceParts): Pace {
  let backlog = false;
  let rate = 0;
  let ends = 0;
  let since = performance.now();
  let lookMs = 0;

  const wanted = (): number => {
    if (!ahead || !backlog) return concurrency;
    const soon = Math.ceil(rate * Math.max(AHEAD_MS, 2 * lookMs));
    return concurrency + Math.min(soon, concurrency * AHEAD_TIMES);
  };

  return {
    ended() {
      ends += 1;
    },
    room: (taken) => Math.max(0, wanted() - taken),
    pauseMs: (room) => (backlog && room < wanted() / 2 ? PAUSE_MS : 0),
    looked(asked, came, tookMs) {
      const now = performance.now();
      rate = (rate + ends / Math.max(1, now - since)) / 2;
      ends = 0;
      since = now;
      lookMs = Math.min(AHEAD_MS, tookMs);
      backlog = came >= asked;
    },
  };
}
