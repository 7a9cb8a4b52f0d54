import type { ProcessLease } from './queue.js';

/**
 * Renews the lease of this process on its claims, three times in its length.
 *
 * ```
 *   renew ──► renew ──► renew ──────── gap (paused, or the database was away) ────────► renew ──► renew
 *                                      claims made before it may be another's now        │         │
 *                                                                        nothing is reclaimed   reclaims again
 * ```
 *
 * After an outage of the database every lease has expired, those of living processes too: they get time to renew
 * before this process reclaims anything. A process that starts cannot know of an outage, and waits as well.
 */
export interface LeaseRenewal {
  /** Whether a claim, by its number, is certainly still this process's: the lease was held since it was made. */
  readonly isClaimValid: (claim: number) => boolean;
  readonly stop: () => void;
}

/** Options of {@link startLeaseRenewal}. */
export interface LeaseRenewalOptions {
  readonly lease: ProcessLease;
  readonly leaseMs: number;
  /** The number of the latest claim. */
  readonly lastClaim: () => number;
  /** Called after each renewal, with the number of conversations that were reclaimed. */
  readonly onRenewed: (reclaimed: number) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** In parts of a lease, between one and two renewals: a longer time between two may hide an outage. */
const OUTAGE_GAP = 0.6;

/** Starts a {@link LeaseRenewal}. Rejects when the first renewal fails. */
export async function startLeaseRenewal(options: LeaseRenewalOptions): Promise<LeaseRenewal> {
  const { lease, leaseMs, lastClaim, onRenewed, onError } = options;
  let renewedAt = performance.now();
  /** Since when renewals have followed each other without a gap. */
  let steadySince = renewedAt;
  /** Claims up to this number were made before a gap. */
  let lostUpTo = 0;
  let isRenewing = false;

  const renew = async (): Promise<void> => {
    if (isRenewing) return;
    isRenewing = true;
    const startedAt = performance.now();
    try {
      if (startedAt - renewedAt > OUTAGE_GAP * leaseMs) steadySince = startedAt;
      const reclaimed = await lease.renew({ reclaim: startedAt - steadySince >= OUTAGE_GAP * leaseMs });
      if (performance.now() - renewedAt >= leaseMs) lostUpTo = lastClaim();
      // The lease counts from before the call: the database may have noted it any time since.
      renewedAt = startedAt;
      await onRenewed(reclaimed);
    } finally {
      isRenewing = false;
    }
  };

  await renew();
  const timer = setInterval(() => void renew().catch(onError), leaseMs / 3);
  return {
    isClaimValid: (claim) => claim > lostUpTo && performance.now() - renewedAt < leaseMs,
    stop: () => clearInterval(timer),
  };
}
