import { setTimeout as sleep } from 'node:timers/promises';
import { Postponed } from '../events/index.js';
import type { Log } from '../internal/index.js';
import { AdapterError } from './adapter-error.js';

/** How failures of a system are met. */
export interface AdapterRetryPolicy {
  /** Tries in place before an event is postponed. */
  readonly tries: number;
  /** The first wait between them; it doubles. */
  readonly firstWaitMs: number;
  /** A system that asks for more than this is not waited for in place. */
  readonly longestWaitMs: number;
  /** How long to leave a system alone that refuses the credentials. */
  readonly authWaitMs: number;
}

/** The policy unless told otherwise. */
export const DEFAULT_RETRY: AdapterRetryPolicy = {
  tries: 3,
  firstWaitMs: 200,
  longestWaitMs: 5_000,
  authWaitMs: 60_000,
};

/** Tries again what may work a little later. */
export type RetryByKind = <Result>(attempt: () => Promise<Result>) => Promise<Result>;

/** How long to wait before the next try; `null` when there is none. */
export function waitBeforeRetry(error: unknown, tried: number, policy: AdapterRetryPolicy): number | null {
  if (!(error instanceof AdapterError)) return null;
  if (error.kind !== 'transient' && error.kind !== 'rate-limited') return null;
  const own = Math.round(policy.firstWaitMs * 2 ** (tried - 1) * (0.5 + Math.random() / 2));
  const wait = Math.max(own, error.retryAfterMs ?? 0);
  return wait <= policy.longestWaitMs ? wait : null;
}

/** Waits, or until the signal aborts. Does not keep the process alive. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);
}

/** Makes {@link RetryByKind}. */
export function createRetryByKind(policy: AdapterRetryPolicy, signal: AbortSignal): RetryByKind {
  return async (attempt) => {
    for (let tried = 1; ; tried += 1) {
      try {
        return await attempt();
      } catch (error) {
        const wait = tried < policy.tries ? waitBeforeRetry(error, tried, policy) : null;
        if (wait === null || signal.aborted) throw error;
        await pause(wait, signal);
      }
    }
  };
}

/** Says that credentials are refused: once, until they were accepted again. */
export interface AuthWatch {
  refused(error: AdapterError): void;
  accepted(): void;
}

/** Makes an {@link AuthWatch}. */
export function createAuthWatch(log: Log): AuthWatch {
  let told = false;
  return {
    refused(error) {
      if (told) return;
      told = true;
      log.error(
        { err: error },
        'credentials refused: the system does not let this adapter in. Put them right; what waits is sent then',
      );
    },
    accepted() {
      told = false;
    },
  };
}

/** What a handler throws for a failure: a postponement where a later try can help, else the failure itself. */
export function asPostponed(error: unknown, policy: AdapterRetryPolicy): unknown {
  if (!(error instanceof AdapterError)) return error;
  const { kind, message, retryAfterMs } = error;
  if (kind === 'auth') {
    return new Postponed(`credentials refused: ${message}`, {
      cause: error,
      retryAfterMs: policy.authWaitMs,
    });
  }
  if (kind === 'transient' || kind === 'rate-limited')
    return new Postponed(message, { cause: error, retryAfterMs });
  return error;
}
