import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { channels, traceStep } from '../../diagnostics/index.js';
import { type HandoffMessageContext, Postponed } from '../../events/index.js';
import { createTaskCounter, type Log, settlesWithin } from '../../internal/index.js';
import { type AdapterCall, AdapterError } from '../adapter/adapter-types.js';
import { type CircuitBreakerOptions, CircuitOpen, createCircuitBreaker } from './circuit-breaker.js';

/** The run of a handler on whose behalf the adapter is called. */
export type ClaimedRun = Pick<HandoffMessageContext, 'signal' | 'ensureClaimed'>;

/** Calls the adapter: each call has a timeout, and `end` waits for the calls in flight. */
export interface AdapterCalls {
  /**
   * Makes one call. Every failure is an {@link AdapterError}, whatever the adapter throws. On behalf of a handler, the
   * call is made only while the event is this process's to handle, and is aborted when the run is given up: it then
   * rejects with the reason of that.
   */
  run<Result>(
    name: string,
    call: (call: AdapterCall) => Promise<Result>,
    options?: AdapterCallOptions,
  ): Promise<Result>;
  /** `true` once `end` was called: no further calls are made. */
  readonly ended: boolean;
  /** Whether calls are not made because the helpdesk does not answer. */
  readonly isPaused: boolean;
  /** Makes calls again at once, since another process found that the helpdesk answers. */
  resume(): void;
  /** Aborts when `end` is called. */
  readonly signal: AbortSignal;
  /** Waits for the calls in flight for up to `graceMs`, then aborts them. */
  end(graceMs: number): Promise<void>;
}

/** Options of one call. */
export interface AdapterCallOptions {
  /** The conversation whose user waits for the call: it counts when that fails. */
  readonly conversationId?: string;
  readonly onBehalfOf?: ClaimedRun | undefined;
  /** Whether it is made while calls are paused. Default `false`. */
  readonly evenIfPaused?: boolean;
}

export interface AdapterCallsOptions {
  readonly helpdesk: string;
  /** The receiver, for messages of `node:diagnostics_channel`. */
  readonly receiver: object;
  readonly log: Log;
  /** Enforced even when the adapter ignores its signal. */
  readonly timeoutMs: number;
  /** Stops calls to a helpdesk that does not answer. */
  readonly breaker: Omit<CircuitBreakerOptions, 'helpdesk' | 'log'>;
}

export function createAdapterCalls(options: AdapterCallsOptions): AdapterCalls {
  const { helpdesk, receiver, log, timeoutMs } = options;
  const breaker = createCircuitBreaker({ helpdesk, log, ...options.breaker });
  const inFlight = createTaskCounter();
  const controllers = new Set<AbortController>();
  const ending = new AbortController();
  // Each waiting conversation adds a listener, so there is no useful maximum.
  setMaxListeners(0, ending.signal);

  const runWithTimeout = async <Result>(
    name: string,
    call: (call: AdapterCall) => Promise<Result>,
    givenUp: AbortSignal | undefined,
  ): Promise<Result> => {
    const controller = new AbortController();
    const abort = (): void => controller.abort();
    controllers.add(controller);
    givenUp?.addEventListener('abort', abort, { once: true });
    let timer: NodeJS.Timeout | undefined;
    const aborted = new Promise<never>((_resolve, reject) => {
      const fail = (reason: string): void =>
        reject(new AdapterError('transient', `${helpdesk}: ${name} was aborted: ${reason}.`));
      controller.signal.addEventListener('abort', () => fail('the bridge is closing'));
      timer = setTimeout(() => {
        fail(`no result after ${timeoutMs} ms`);
        controller.abort();
      }, timeoutMs).unref();
    });
    try {
      return await Promise.race([call({ signal: controller.signal, log }), aborted]);
    } catch (error) {
      if (givenUp?.aborted) throw givenUp.reason;
      throw toAdapterError(helpdesk, name, error);
    } finally {
      clearTimeout(timer);
      controllers.delete(controller);
      givenUp?.removeEventListener('abort', abort);
    }
  };

  return {
    async run(name, call, { conversationId = null, onBehalfOf, evenIfPaused = false } = {}) {
      if (ending.signal.aborted) {
        throw new AdapterError('transient', `${helpdesk}: ${name} was not started: the bridge is closing.`);
      }
      inFlight.enter();
      try {
        const callAdapter = async () => {
          // Last, so that nothing is waited for between this check and the call.
          await onBehalfOf?.ensureClaimed();
          const start = () => runWithTimeout(name, call, onBehalfOf?.signal);
          if (!channels.adapter.hasSubscribers) return start();
          return traceStep(channels.adapter, { receiver, adapter: helpdesk, operation: name }, start);
        };
        const how = { conversationId, evenIfOpen: evenIfPaused };
        return await (name === 'check' ? callAdapter() : breaker.run(callAdapter, how));
      } finally {
        inFlight.leave();
      }
    },
    get ended() {
      return ending.signal.aborted;
    },
    get isPaused() {
      return breaker.isOpen;
    },
    resume: () => breaker.close(),
    signal: ending.signal,
    async end(graceMs) {
      ending.abort();
      breaker.stop();
      await settlesWithin(inFlight.idle(), graceMs);
      for (const controller of controllers) controller.abort();
    },
  };
}

/** Any other error is a bug in the adapter, which a retry does not fix. */
function toAdapterError(helpdesk: string, name: string, error: unknown): AdapterError {
  if (error instanceof AdapterError) return error;
  return new AdapterError('invalid', `${helpdesk}: ${name} failed in the adapter itself.`, { cause: error });
}

/**
 * How failed calls to the helpdesk are retried. A call is first retried inline, while the event waits; after that
 * the event is postponed, and delivery handles it again later.
 */
export interface AdapterRetryPolicy {
  /** Attempts before the event is postponed. Default 3. */
  readonly tries: number;
  /** Wait before the second attempt; doubles after each. Default 200 ms. */
  readonly firstWaitMs: number;
  /** A longer wait is not made inline: the event is postponed instead. Default 5 seconds. */
  readonly longestWaitMs: number;
  /** Wait after the helpdesk refused the credentials. Default 1 minute. */
  readonly authWaitMs: number;
  /**
   * How often a message is postponed before the bridge finds out whether the helpdesk fails at this message alone, and
   * then makes it a dead letter. Default 8, which takes about two minutes.
   */
  readonly giveUpAfter: number;
}

/** The defaults of {@link AdapterRetryPolicy}. */
export const DEFAULT_RETRY: AdapterRetryPolicy = {
  tries: 3,
  firstWaitMs: 200,
  longestWaitMs: 5_000,
  authWaitMs: 60_000,
  giveUpAfter: 8,
};

/** Retries transient and rate-limited failures a few times, while the event waits. */
export type CallRetry = <Result>(attempt: () => Promise<Result>) => Promise<Result>;

/** Backoff before the next attempt, or `null` when the call must not be retried inline. */
export function retryDelay(error: unknown, attempts: number, policy: AdapterRetryPolicy): number | null {
  if (!(error instanceof AdapterError) || error instanceof CircuitOpen) return null;
  if (!error.retryable) return null;
  const backoff = Math.round(policy.firstWaitMs * 2 ** (attempts - 1) * (0.5 + Math.random() / 2));
  const delay = Math.max(backoff, error.retryAfterMs ?? 0);
  return delay <= policy.longestWaitMs ? delay : null;
}

/** Sleeps until the time has passed or the signal aborts. Does not keep the process alive. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);
}

export function createCallRetry(policy: AdapterRetryPolicy, signal: AbortSignal): CallRetry {
  return async (attempt) => {
    for (let attempts = 1; ; attempts += 1) {
      try {
        return await attempt();
      } catch (error) {
        const delay = attempts < policy.tries ? retryDelay(error, attempts, policy) : null;
        if (delay === null || signal.aborted) throw error;
        await pause(delay, signal);
      }
    }
  };
}

/** Turns a retryable failure into {@link Postponed}, so that delivery handles the event again later. */
export function asPostponed(error: unknown, policy: AdapterRetryPolicy): unknown {
  if (!(error instanceof AdapterError)) return error;
  const { kind, message, retryAfterMs } = error;
  if (kind === 'auth') {
    return new Postponed(`credentials refused: ${message}`, {
      cause: error,
      retryAfterMs: policy.authWaitMs,
    });
  }
  if (error.retryable) return new Postponed(message, { cause: error, retryAfterMs });
  return error;
}

/** Logs refused credentials once, until the helpdesk accepts them again. */
export interface AuthFailureLog {
  refused(error: AdapterError): void;
  accepted(): void;
}

export function createAuthFailureLog(log: Log): AuthFailureLog {
  let isLogged = false;
  return {
    refused(error) {
      if (isLogged) return;
      isLogged = true;
      log.error(
        { err: error },
        'credentials refused by the helpdesk. Correct them in the settings; postponed messages are sent after that',
      );
    },
    accepted() {
      isLogged = false;
    },
  };
}
