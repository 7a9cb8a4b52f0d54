import { AdapterError } from '../adapter/adapter-types.js';
import { type BackgroundLoop, type BridgeContext, KEY_TTL_MS } from '../bridge-context.js';
import { pause } from './adapter-calls.js';
import { CircuitOpen } from './circuit-breaker.js';

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

/** Creates {@link FailingCalls}. Counts are stored, so that restarts and other processes continue them. */
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

export interface RepeatedTask {
  /** Released at the end, so that another process continues. The task takes it. */
  readonly lease: string;
  readonly everyMs: number;
  /** Logged when the task fails. */
  readonly failure: string;
  readonly run: () => Promise<void>;
}

/** Runs a task at once and then regularly, until the bridge stops. A failure is logged, and the loop goes on. */
export function repeatTask(
  { lifecycle, stopSignal, log, instanceId }: BridgeContext,
  { lease, everyMs, failure, run }: RepeatedTask,
): BackgroundLoop {
  const repeat = async (): Promise<void> => {
    while (!stopSignal.aborted) {
      try {
        await run();
      } catch (error) {
        if (!stopSignal.aborted) log.warn({ err: error }, failure);
      }
      await pause(everyMs, stopSignal);
    }
    await lifecycle.store.release(lease, instanceId).catch(() => undefined);
  };
  return { stopped: repeat() };
}
