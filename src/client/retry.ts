import { type Clock, slept } from './clock.js';
import type { EndpointRules } from './endpoints.js';
import { aborted, type Verdict } from './judge.js';
import { ServiceError, type ServiceErrorDetails } from './service-error.js';

/** How often and how long a call is tried again. */
export interface RetryPolicy {
  /** Attempts after the first. */
  readonly retries: number;
  /** The first wait; each further one is twice as long, and each is cut by up to half at random. */
  readonly minDelayMs: number;
  /** The longest wait, unless the service asks for a longer one. */
  readonly maxDelayMs: number;
  /** No attempt begins later than this after the first; a wait that would go past it is not begun. */
  readonly maxElapsedMs: number;
}

/** What a retried call needs to know. */
export interface RetryContext {
  readonly policy: RetryPolicy;
  readonly clock: Clock;
  readonly endpoint: EndpointRules;
  readonly signal: AbortSignal | undefined;
}

/**
 * Makes attempts until one succeeds, one fails for good, or the policy is used up. What may be tried again is
 * for the failure to say: `retryable` is never true where a second attempt could act twice.
 */
export async function withRetry<Value>(
  attempt: () => Promise<Verdict<Value>>,
  { policy, clock, endpoint, signal }: RetryContext,
): Promise<Value> {
  const started = clock.now();
  let inDoubt = false;
  for (let attempts = 1; ; attempts += 1) {
    const verdict = await attempt();
    if (verdict.ok) return verdict.value;

    // An earlier attempt may have got through, whatever became of the later ones.
    inDoubt ||= verdict.failure.outcome === 'unknown';
    const outcome = inDoubt ? 'unknown' : 'not-applied';
    const delay = delayAfter(verdict.failure, attempts, policy, clock);
    const late = clock.now() - started + delay > policy.maxElapsedMs;
    if (!verdict.failure.retryable || attempts > policy.retries || late) {
      throw new ServiceError({ ...verdict.failure, outcome, attempts });
    }
    if (!(await slept(clock, delay, signal))) {
      throw new ServiceError({ ...aborted(endpoint, outcome), attempts });
    }
  }
}

function delayAfter(
  { retryAfterMs }: ServiceErrorDetails,
  attempts: number,
  { minDelayMs, maxDelayMs }: RetryPolicy,
  clock: Clock,
): number {
  const backoff = Math.min(maxDelayMs, minDelayMs * 2 ** (attempts - 1));
  const jittered = Math.round(backoff * (0.5 + clock.random() / 2));
  return Math.max(jittered, retryAfterMs ?? 0);
}
