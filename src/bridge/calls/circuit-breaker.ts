import type { Log } from '../../internal/index.js';
import { AdapterError } from '../adapter/adapter-types.js';

/**
 * Stops calls to a helpdesk that does not answer, so that its conversations wait without using resources.
 *
 *     closed ── 5 failures in a row ──> open ── 5 s, then 10, 20, 30 ──> trial: one call
 *       ▲                                ▲                                  │
 *       └──────── any success ───────────┼──────────────────────────────────┤
 *                                        └────────────── failure ───────────┘
 *
 * Only calls that a user waits for count as failures: a system that refuses to close a conversation, or to list events,
 * may still take new ones. Such a call may be the trial; if it fails, a new handoff can be the next one at any time.
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
  /** Whether its failure counts. */
  readonly counts: boolean;
  /** Whether the call is made while others are paused. Default `false`. */
  readonly evenIfOpen?: boolean;
}

/** The helpdesk does not answer, so the call was not made. */
export class CircuitOpen extends AdapterError {}

export interface CircuitBreakerOptions {
  readonly system: string;
  readonly log: Log;
  /** How long calls are paused before the first trial. */
  readonly firstWaitMs: number;
  /** Called when a trial is due: a call should be made. */
  readonly onTrial: () => void;
  /** Called at the first success after an outage. */
  readonly onRecovered: () => void;
  /** Called at the beginning of an outage. */
  readonly onOutage: () => void;
}

const MAX_FAILURES = 5;
/** The longest wait is this many times the first. */
const LONGEST_WAIT = 6;

export function createCircuitBreaker(options: CircuitBreakerOptions): CircuitBreaker {
  const { system, log, firstWaitMs, onTrial, onRecovered, onOutage } = options;
  let failures = 0;
  /** The number of waits of this outage; 0 while the circuit is closed. */
  let waits = 0;
  let state: 'closed' | 'open' | 'trial due' | 'on trial' = 'closed';
  let timer: NodeJS.Timeout | undefined;

  const open = (): void => {
    if (waits === 0) {
      log.warn({ failures }, 'the helpdesk does not answer; calls are paused until it does');
      onOutage();
    }
    waits += 1;
    state = 'open';
    clearTimeout(timer);
    timer = setTimeout(askForTrial, firstWaitMs * Math.min(LONGEST_WAIT, 2 ** (waits - 1))).unref();
  };

  /** The next call is the trial. Until there is one, it is asked for from time to time. */
  const allowTrial = (): void => {
    state = 'trial due';
    clearTimeout(timer);
    timer = setTimeout(askForTrial, firstWaitMs).unref();
  };

  const askForTrial = (): void => {
    allowTrial();
    onTrial();
  };

  const close = (): void => {
    failures = 0;
    if (state === 'closed') return;
    clearTimeout(timer);
    state = 'closed';
    waits = 0;
    log.warn({}, 'the helpdesk answers again');
  };

  const succeeded = (counts: boolean): void => {
    const isRecovery = state !== 'closed';
    if (counts || isRecovery) close();
    if (isRecovery) onRecovered();
  };

  const failed = (isTrial: boolean): void => {
    failures += 1;
    // Calls that were under way when the circuit opened say nothing new.
    if (isTrial || (state === 'closed' && failures >= MAX_FAILURES)) open();
  };

  return {
    async run(call, { counts, evenIfOpen = false }) {
      if (!evenIfOpen && (state === 'open' || state === 'on trial'))
        throw new CircuitOpen('transient', `${system} does not answer; calls to it are paused.`);
      const isTrial = state === 'trial due';
      if (isTrial) {
        state = 'on trial';
        clearTimeout(timer);
      }
      try {
        const result = await call();
        succeeded(counts);
        return result;
      } catch (error) {
        if (!(error instanceof AdapterError)) {
          // Given up by its caller: the outcome is not known.
          if (isTrial) askForTrial();
        } else if (error.kind !== 'transient') succeeded(counts);
        else if (counts) failed(isTrial);
        else if (isTrial) allowTrial();
        throw error;
      }
    },
    close,
    get isOpen() {
      return state !== 'closed';
    },
    stop: () => clearTimeout(timer),
  };
}
