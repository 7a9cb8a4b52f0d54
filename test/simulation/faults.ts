import type { NetworkFaults } from './platform.js';
import type { Random } from './random.js';
import type { StorageFaults } from './storage.js';

/** How long a process keeps its conversations without renewing its lease. */
export const LEASE_MS = 1_500;

/** What goes wrong in a history, mostly as probabilities for each request or event. */
export interface Faults extends StorageFaults, NetworkFaults {
  /** A process dies. */
  readonly dies: number;
  /** A process is paused. */
  readonly pauses: number;
  readonly longestPauseMs: number;
  /** Whether one process is stopped properly, as for a new version. */
  readonly isDeployed: boolean;
  /** Handlers that fail, hang or postpone. */
  readonly troubles: number;
}

/** A time without faults. */
export const NO_FAULTS: Faults = {
  refused: 0,
  answerLost: 0,
  notificationLost: 0,
  lost: 0,
  repeated: 0,
  apiFails: 0,
  apiRefuses: 0,
  slow: 0,
  slowMs: 1,
  dies: 0,
  pauses: 0,
  longestPauseMs: 0,
  isDeployed: false,
  troubles: 0,
};

/**
 * Chooses the faults of a history. Each kind is missing in half of the histories: where everything fails at once,
 * little gets far enough to go wrong in an interesting way.
 */
export function chooseFaults(random: Random): Faults {
  const sometimes = (most: number): number => (random.chance(0.5) ? random.between(0, most) : 0);
  return {
    refused: sometimes(0.2),
    answerLost: sometimes(0.2),
    notificationLost: sometimes(1),
    lost: sometimes(0.3),
    repeated: sometimes(0.5),
    apiFails: sometimes(0.6),
    apiRefuses: sometimes(0.1),
    slow: sometimes(0.3),
    slowMs: random.between(20, 400),
    dies: sometimes(0.02),
    pauses: sometimes(0.02),
    longestPauseMs: random.pick([200, LEASE_MS, 4 * LEASE_MS]),
    isDeployed: random.chance(0.3),
    troubles: sometimes(0.5),
  };
}
