import { AdapterError } from '../adapter/adapter-types.js';
import { type BridgeContext, KEY_TTL_MS } from '../bridge-context.js';
import { CircuitOpen } from '../calls/circuit-breaker.js';

/**
 * Decides whether a message or a close that keeps failing with a transient error is itself at fault, so that it does not
 * hold up its conversation for ever. The agents' note about it is the proof: if that arrives, the helpdesk works.
 *
 *     failed run ── fewer than giveUpAfter ────> postponed
 *         │ as many
 *     note to the agents ── fails ─────────────> the helpdesk is at fault: postponed, and the count starts over
 *         │ arrives
 *     the same, a last time ── succeeds ───────> done
 *         │ fails
 *     dead letter; the next event continues
 */
export interface FailingCalls {
  /** Counts a failed run. Resolves to whether the message or the close is at fault. */
  isAtFault(key: string, sendNote: () => Promise<boolean>): Promise<boolean>;
  /** Starts the count over, for an operator who retries the dead letter. */
  forget(key: string): Promise<void>;
}

/** Counts are stored, so that restarts and other processes continue them. */
export function createFailingCalls({ adapter, lifecycle, settings }: BridgeContext): FailingCalls {
  const { store } = lifecycle;
  const { giveUpAfter } = settings.retry;
  const runs = Array.from({ length: giveUpAfter }, (_value, index) => index + 1);
  const runKey = (key: string, run: number): string => `bridge failed ${adapter.name} ${key} ${run}`;

  const countRun = async (key: string): Promise<number> => {
    for (const run of runs) if (await store.addIdempotencyKey(runKey(key, run), KEY_TTL_MS)) return run;
    return giveUpAfter;
  };
  const forget = async (key: string): Promise<void> => {
    for (const run of runs) await store.removeIdempotencyKey(runKey(key, run));
  };

  return {
    async isAtFault(key, sendNote) {
      if ((await countRun(key)) < giveUpAfter) return false;
      if (await sendNote()) return true;
      await forget(key);
      return false;
    },
    forget,
  };
}

/** Whether the helpdesk was called and failed. */
export const isCallFailure = (error: unknown): error is AdapterError =>
  error instanceof AdapterError && error.kind === 'transient' && !(error instanceof CircuitOpen);
