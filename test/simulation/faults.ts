import type { NetworkFaults } from './platform.js';
import type { Random } from './random.js';
import type { StorageFaults } from './storage.js';

/** How long a process keeps its conversations without renewing its lease. */
export const LEASE_MS = 500;

/** How much likelier than elsewhere a process is paused where it has just made sure of a claim. */
export const DANGER = 20;

/** What goes wrong in a history, mostly as probabilities for each request or event. */
export interface Faults extends StorageFaults, NetworkFaults {
  /** A process dies. */
  readonly dies: number;
  /** A process is paused. */
  readonly pauses: number;
  readonly longestPauseMs: number;
  /** What concerns all processes at once, for longer than a lease: the storage is away, or their machine is suspended. */
  readonly outage: 'storage' | 'machine' | null;
  /** Whether one process is stopped properly, as for a new version. */
  readonly isDeployed: boolean;
  /** Handlers that fail, hang or postpone. */
  readonly troubles: number;
}

/** A time without faults. */
export const NO_FAULTS: Faults = {
  refused: 0,
  isAway: false,
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
  outage: null,
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
    isAway: false,
    answerLost: sometimes(0.2),
    notificationLost: sometimes(1),
    lost: sometimes(0.3),
    repeated: sometimes(0.5),
    apiFails: sometimes(0.6),
    apiRefuses: sometimes(0.1),
    slow: sometimes(0.3),
    slowMs: random.between(20, 300),
    dies: sometimes(0.01),
    pauses: random.chance(0.7) ? random.between(0, 0.01) : 0,
    longestPauseMs: random.pick([LEASE_MS, 3 * LEASE_MS, 5 * LEASE_MS]),
    outage: random.chance(0.5) ? random.pick(['storage', 'machine']) : null,
    isDeployed: random.chance(0.3),
    troubles: sometimes(0.5),
  };
}
