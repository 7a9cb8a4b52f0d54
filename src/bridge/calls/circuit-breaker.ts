import type { Log } from '../../internal/index.js';
import { AdapterError } from '../adapter/adapter-types.js';

/**
 * Stops calls to a helpdesk that does not answer, so that its conversations wait without using resources. It counts
 * conversations, not calls: a helpdesk that fails at one message takes the others.
 *
 *     closed ── 3 conversations fail, ────► open ── 5 s, then every 10, 20, 30 ──┐
 *       ▲       no call succeeds for 1 s     ▲                                  ▼
 *       │                                    └── all fail ── 3 other conversations may try, and 1 of these
 *       └──────────────────── any success ────────────────────────────┘
 *
 * Other conversations try first: those that failed may be at fault themselves. Only calls that a user waits for count as
 * failures: a helpdesk that refuses to close a conversation, or to list events, may still take new ones. One such call may
 * try as well.
 * Packages for this wait for the next call as the trial; here one is asked for, since conversations wait for it.
 */
export interface CircuitBreaker {
  /** Makes a call, or rejects with {@link CircuitOpen} without making it. */
  run<Result>(call: () => Promise<Result>, how: BreakerCall): Promise<Result>;
  /**
   * Ends the outage, since another process found that the helpdesk answers. A trial of this process alone would not do:
   * the other may get to handle the conversation that is woken for it.
   */
  close(): void;
  readonly isOpen: boolean;
  /** Ends the timer. */
  stop(): void;
}

/** How a call goes through a {@link CircuitBreaker}. */
export interface BreakerCall {
  /** The conversation whose user waits for this call. `null` if nobody waits: its failure does not count. */
  readonly conversationId: string | null;
  /** Whether the call is made while others are paused. Default `false`. */
  readonly evenIfOpen?: boolean;
}

/** The helpdesk does not answer, so the call was not made. */
export class CircuitOpen extends AdapterError {}

export interface CircuitBreakerOptions {
  readonly helpdesk: string;
  readonly log: Log;
  /** How long calls are paused before the first trial. */
  readonly firstWaitMs: number;
  /** Called when trials are due: a call should be made. */
  readonly onTrial: () => void;
  /** Called at the first success after an outage. */
  readonly onRecovered: () => void;
  /** Called at the beginning of an outage. */
  readonly onOutage: () => void;
}

const MIN_FAILING = 3;
/** Without it, a busy helpdesk that fails at every tenth call would be taken for one that is down now and then. */
const MIN_FAILING_MS = 1_000;
/** How many calls are made after each wait: of conversations that have not failed, of those that have, and others. */
const TRIALS = { fresh: 3, failed: 1, other: 1 };
/** The longest wait is this many times the first. */
const LONGEST_WAIT = 6;

export function createCircuitBreaker(options: CircuitBreakerOptions): CircuitBreaker {
  const { helpdesk, log, firstWaitMs, onTrial, onRecovered, onOutage } = options;
  /** The conversations that failed since the last success. */
  const failing = new Set<string>();
  let failingSince = 0;
  /** How many calls of each kind may still be made before the next wait ends. */
  let trials = { fresh: 0, failed: 0, other: 0 };
  /** The number of waits of this outage; 0 while the circuit is closed. */
  let waits = 0;
  let timer: NodeJS.Timeout | undefined;

  const wait = (): void => {
    waits += 1;
    timer = setTimeout(allowTrials, firstWaitMs * Math.min(LONGEST_WAIT, 2 ** (waits - 1))).unref();
  };

  const allowTrials = (): void => {
    trials = { ...TRIALS };
    wait();
    onTrial();
  };

  const close = (): void => {
    failing.clear();
    if (waits === 0) return;
    clearTimeout(timer);
    waits = 0;
    log.warn({}, 'the helpdesk answers again');
  };

  const succeeded = (conversationId: string | null): void => {
    const isRecovery = waits > 0;
    if (isRecovery || conversationId !== null) close();
    if (isRecovery) onRecovered();
  };

  const failed = (conversationId: string | null): void => {
    if (conversationId === null) return;
    if (failing.size === 0) failingSince = performance.now();
    failing.add(conversationId);
    if (waits > 0 || failing.size < MIN_FAILING || performance.now() - failingSince < MIN_FAILING_MS) return;
    log.warn({}, 'the helpdesk does not answer; calls are paused until it does');
    onOutage();
    trials = { fresh: 0, failed: 0, other: 1 };
    wait();
  };

  const kindOf = (conversationId: string | null): keyof typeof trials => {
    if (conversationId === null) return 'other';
    return failing.has(conversationId) ? 'failed' : 'fresh';
  };

  return {
    async run(call, { conversationId, evenIfOpen = false }) {
      const kind = kindOf(conversationId);
      const isTrial = waits > 0 && !evenIfOpen;
      if (isTrial && trials[kind] === 0)
        throw new CircuitOpen('transient', `${helpdesk} does not answer; calls to it are paused.`);
      if (isTrial) trials[kind] -= 1;
      try {
        const result = await call();
        succeeded(conversationId);
        return result;
      } catch (error) {
        if (!(error instanceof AdapterError)) {
          // Given up by its caller: the outcome is not known, and another may try.
          if (isTrial) trials[kind] += 1;
        } else if (error.kind === 'transient') failed(conversationId);
        else succeeded(conversationId);
        throw error;
      }
    },
    close,
    get isOpen() {
      return waits > 0;
    },
    stop: () => clearTimeout(timer),
  };
}
