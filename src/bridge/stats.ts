/** What a bridge has counted since it was made. */
export interface BridgeStats {
  /** Conversations opened in the system. */
  readonly opened: number;
  /** Handoffs refused because the system could not take them, or out of hours. */
  readonly refused: number;
  /** Conversations that opened after the user was told no, and were closed again. */
  readonly strays: number;
  /** Messages brought to the system; parts of a long one count each. */
  readonly sent: number;
  /** Agents' messages brought to users. */
  readonly replied: number;
  /** Conversations ended by an agent. */
  readonly closedByAgent: number;
  /** Conversations ended in the system because the user or the service ended them. */
  readonly closedInSystem: number;
  /** What came from the system and had no effect: echoes, notes, repeats, strangers, what came after the end. */
  readonly dropped: number;
  /** Requests to the webhook that were not genuine. */
  readonly forged: number;
  /** Times that something was put off because the system was away. */
  readonly postponed: number;
}

/** Counts. */
export interface Counters {
  count(what: keyof BridgeStats): void;
  read(): BridgeStats;
}

/** Makes {@link Counters} that begin at nothing. */
export function createCounters(): Counters {
  const counts: Record<keyof BridgeStats, number> = {
    opened: 0,
    refused: 0,
    strays: 0,
    sent: 0,
    replied: 0,
    closedByAgent: 0,
    closedInSystem: 0,
    dropped: 0,
    forged: 0,
    postponed: 0,
  };
  return {
    count(what) {
      counts[what] += 1;
    },
    read: () => ({ ...counts }),
  };
}
