import { hasEnded, identifyProcess } from './process-identity.js';
import type { ProcessLease, ProcessRecord } from './queue.js';

/**
 * Renews the lease of this process on its claims, and reclaims those of processes that have died. No wall clock is
 * involved: a renewal is a number in the process's row, and each process measures with its own monotonic clock for how
 * long the numbers of the others have not changed.
 *
 * ```
 *   A writes   1 ── 2 ── 3 ── 4 ╳           three renewals per lease, then A is killed
 *   B reads    1 ── 2 ── 3 ── 4 ── 4 ── 4 ── 4 ► reclaims: unchanged for a whole lease
 *                               ▲
 *                               └ on the same machine B looks for A's process id four times a second, and
 *                                 reclaims as soon as it is gone
 *
 *   B reads    3 ── 4 ─ ─ ─ gap ─ ─ ─ 4 ── 5     B was paused, or failed to read: A may have been unable to write as
 *                                    ▲           well, so B starts to measure anew
 *                                    └ after a gap of a lease, B's own claims may be another's: it starts none of them
 * ```
 *
 * The lease counts from before a renewal is sent, and the silence of another from after its number was read: a process
 * stops starting jobs before any other reclaims them.
 *
 * A process that lives must not seem dead: what follows from a renewal does not keep the next one waiting, and one that
 * failed is soon repeated.
 */
export interface LeaseRenewal {
  /** Whether a claim, by its number, is certainly still this process's: the lease was held since it was made. */
  readonly isClaimValid: (claim: number) => boolean;
  /** Renews the lease without waiting for its time. */
  readonly renewNow: () => Promise<void>;
  readonly stop: () => void;
}

interface LeaseRenewalOptions {
  readonly lease: ProcessLease;
  readonly leaseMs: number;
  readonly lastClaim: () => number;
  /** Called after each renewal, and when conversations were reclaimed, with their number. */
  readonly onRenewed: (reclaimed: number) => Promise<void>;
  /** Called when a renewal came too late, with the time since the last one: others may have taken over. */
  readonly onLate: (ms: number) => void;
  readonly onError: (error: unknown) => void;
}

/** From one renewal to the next, in parts of a lease. */
const RENEW_AFTER = 1 / 3;

/** From a renewal that failed to the next, in parts of a lease. */
const RETRY_AFTER = 1 / 12;

/** In parts of a lease, between one and two renewals: a longer time between two may hide an outage. */
const OUTAGE_GAP = 0.6;

/** How often processes of the same machine are looked for. */
const LOOK_MS = 250;

/** A clock that was set back by less does no harm: a delayed job waits that much longer. */
const CLOCK_TOLERANCE_MS = 1_000;

interface Renewed {
  readonly dead: readonly ProcessRecord[];
  /** The database's time, and the moment of the monotonic clock at which, or later, it was read. */
  readonly now: number;
  readonly readAt: number;
}

/** Starts a {@link LeaseRenewal}. Rejects when the first renewal fails. */
export async function startLeaseRenewal(options: LeaseRenewalOptions): Promise<LeaseRenewal> {
  const { lease, leaseMs, lastClaim, onRenewed, onLate, onError } = options;
  const identity = identifyProcess();
  const others = createObserver(leaseMs);
  const clock = createClockWatch();
  let renewals = 0;
  let renewedAt = readClocks();
  /** Claims up to this number were made before the lease was lost. */
  let lostUpTo = 0;
  let renewing: Promise<Renewed> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  const reclaim = async (dead: readonly ProcessRecord[]): Promise<number> => {
    let reclaimed = 0;
    for (const record of dead) {
      reclaimed += await lease.reclaim(record);
      others.forget(record);
    }
    return reclaimed;
  };

  const renewOnce = async (): Promise<Renewed> => {
    const startedAt = readClocks();
    renewals += 1;
    const found = await lease
      .renew({ renewals, leaseMs: Math.ceil(leaseMs), identity })
      .catch((error: unknown) => {
        others.measureAnew();
        throw error;
      });
    const wasReclaimed = found.isNew && renewals > 1;
    const elapsedMs = elapsedSince(renewedAt);
    if (wasReclaimed || elapsedMs >= leaseMs) {
      lostUpTo = lastClaim();
      onLate(Math.round(elapsedMs));
    }
    renewedAt = startedAt;
    const readAt = startedAt.monotonic;
    return { dead: others.observe(found.others, readAt), now: found.now, readAt };
  };

  const renew = (): Promise<Renewed> => {
    renewing ??= renewOnce().finally(() => {
      renewing = undefined;
    });
    return renewing;
  };

  /** Does what follows from a renewal. What is skipped follows from the next one too. */
  const followUp = unlessUnderWay(async ({ dead, now, readAt }: Renewed) => {
    const reclaimed = await reclaim(dead);
    if (clock.wasSetBack(now, readAt)) {
      await lease.boundDueTimes();
      clock.accept(now);
    }
    await onRenewed(reclaimed);
  });

  const look = unlessUnderWay(async () => {
    const reclaimed = await reclaim(others.ended());
    if (reclaimed > 0) await onRenewed(reclaimed);
  });

  const keepRenewing = async (): Promise<void> => {
    const startedAt = performance.now();
    let after = RENEW_AFTER;
    try {
      void followUp(await renew()).catch(onError);
    } catch (error) {
      onError(error);
      after = RETRY_AFTER;
    }
    if (!stopped) renewAt(startedAt + after * leaseMs);
  };

  const renewAt = (time: number): void => {
    timer = setTimeout(() => void keepRenewing(), Math.max(0, time - performance.now()));
  };

  await followUp(await renew());
  renewAt(renewedAt.monotonic + RENEW_AFTER * leaseMs);
  const looks = setInterval(() => void look().catch(onError), LOOK_MS).unref();
  return {
    isClaimValid: (claim) => claim > lostUpTo && elapsedSince(renewedAt) < leaseMs,
    async renewNow() {
      // The one under way may have been noted before this call.
      await renewing?.catch(() => undefined);
      await renew();
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
      clearInterval(looks);
    },
  };
}

/**
 * The time since a moment, by the clock that shows more of it: the monotonic one stands still while the machine is
 * suspended, and the other may have been set back.
 */
const readClocks = () => ({ monotonic: performance.now(), wall: Date.now() });
const elapsedSince = ({ monotonic, wall }: ReturnType<typeof readClocks>): number =>
  Math.max(performance.now() - monotonic, Date.now() - wall);

/** A task that is skipped while an earlier call of it is under way. */
function unlessUnderWay<Args extends readonly unknown[]>(
  task: (...args: Args) => Promise<void>,
): (...args: Args) => Promise<void> {
  let isUnderWay = false;
  return async (...args) => {
    if (isUnderWay) return;
    isUnderWay = true;
    try {
      await task(...args);
    } finally {
      isUnderWay = false;
    }
  };
}

function createObserver(leaseMs: number) {
  let observed = new Map<string, { readonly record: ProcessRecord; readonly since: number }>();
  let observedAt = readClocks();
  let mustMeasureAnew = false;

  const ended = (): ProcessRecord[] =>
    [...observed.values()].map(({ record }) => record).filter((record) => hasEnded(record.identity));

  return {
    /** Processes of this machine that have ended. */
    ended,
    forget: ({ owner }: ProcessRecord) => void observed.delete(owner),
    /** Makes silence count from the next records on. */
    measureAnew() {
      mustMeasureAnew = true;
    },
    /** Takes in the records that were read at `readAt` or later. Returns those of dead processes. */
    observe(records: readonly ProcessRecord[], readAt: number): ProcessRecord[] {
      const hadGap = mustMeasureAnew || elapsedSince(observedAt) > OUTAGE_GAP * leaseMs;
      const known: typeof observed = hadGap ? new Map() : observed;
      mustMeasureAnew = false;
      observedAt = readClocks();
      const answeredAt = observedAt.monotonic;
      observed = new Map(
        records.map((record) => {
          const before = known.get(record.owner);
          const isSilent = before?.record.renewals === record.renewals;
          return [record.owner, { record, since: isSilent ? before.since : answeredAt }] as const;
        }),
      );
      const silent = [...observed.values()]
        .filter(({ record, since }) => readAt - since >= Math.max(leaseMs, record.leaseMs))
        .map(({ record }) => record);
      return [...new Set([...silent, ...ended()])];
    },
  };
}

/** Notices when the database's clock was set back, by comparing it with the monotonic one. */
function createClockWatch() {
  /** By how much the database's clock is ahead of the monotonic one, at least. Unknown at the start. */
  let ahead = Number.POSITIVE_INFINITY;

  return {
    /** Whether a time that was read at `readAt` or later is behind. Also `true` at the start. */
    wasSetBack(now: number, readAt: number): boolean {
      if (now - readAt < ahead - CLOCK_TOLERANCE_MS) return true;
      ahead = Math.max(ahead, now - performance.now());
      return false;
    },
    /** Takes a time as the right one. */
    accept(now: number): void {
      ahead = now - performance.now();
    },
  };
}
