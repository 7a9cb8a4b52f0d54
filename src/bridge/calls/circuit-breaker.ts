import type { Log } from '../../internal/index.js';
import { AdapterError } from '../adapter/adapter-types.js';

/**
 * Stops calls to a helpdesk that does not answer, so that its conversations wait without using resources. It counts
 * conversations, not calls: a helpdesk that fails at one message takes the others.
 *
 *     closed ── 3 conversations fail, no call succeeds ──> open ── 5 s, then every 10, 20, 30 ──┐
 *       ▲                                                   ▲                                   ▼
 *       └───────────── any success ─────────────────────────┼──────── 3 conversations may try, one call each
 *                                                           └──────── all fail ─────────────────┘
 *
 * Only calls that a user waits for count as failures: a system that refuses to close a conversation, or to list events,
 * may still take new ones. One such call may try as well, and takes nobody's place.
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
  /** The conversation whose user waits for it; `null` if nobody does, and its failure does not count. */
  readonly conversationId: string | null;
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
  /** Called when trials are due: a call should be made. */
  readonly onTrial: () => void;
  /** Called at the first success after an outage. */
  readonly onRecovered: () => void;
  /** Called at the beginning of an outage. */
  readonly onOutage: () => void;
}

const MAX_FAILING = 3;
/** The longest wait is this many times the first. */
const LONGEST_WAIT = 6;

export function createCircuitBreaker(options: CircuitBreakerOptions): CircuitBreaker {
  const { system, log, firstWaitMs, onTrial, onRecovered, onOutage } = options;
  /** While closed, the conversations that failed since the last success; while open, those that tried since the last wait. */
  const failing = new Set<string | null>();
  /** The number of waits of this outage; 0 while the circuit is closed. */
  let waits = 0;
  let timer: NodeJS.Timeout | undefined;

  const countFailing = (): number => failing.size - (failing.has(null) ? 1 : 0);

  const wait = (): void => {
    waits += 1;
    timer = setTimeout(allowTrials, firstWaitMs * Math.min(LONGEST_WAIT, 2 ** (waits - 1))).unref();
  };

  const allowTrials = (): void => {
    failing.clear();
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
    // A trial has taken its place, and calls that were under way when the circuit opened say nothing new.
    if (waits > 0 || conversationId === null) return;
    failing.add(conversationId);
    if (failing.size < MAX_FAILING) return;
    log.warn({}, 'the helpdesk does not answer; calls are paused until it does');
    onOutage();
    wait();
  };

  /** Takes the place of a trial, if there is one for this conversation. */
  const mayTry = (conversationId: string | null): boolean => {
    if (failing.has(conversationId) || (conversationId !== null && countFailing() >= MAX_FAILING))
      return false;
    failing.add(conversationId);
    return true;
  };

  return {
    async run(call, { conversationId, evenIfOpen = false }) {
      if (waits > 0 && !evenIfOpen && !mayTry(conversationId))
        throw new CircuitOpen('transient', `${system} does not answer; calls to it are paused.`);
      try {
        const result = await call();
        succeeded(conversationId);
        return result;
      } catch (error) {
        // Given up by its caller: the outcome is not known, and another may try.
        if (!(error instanceof AdapterError)) failing.delete(conversationId);
        else if (error.kind === 'transient') failed(conversationId);
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
