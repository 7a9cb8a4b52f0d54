import type { BackgroundLoop, BridgeContext } from '../bridge-context.js';
import { pause } from './adapter-calls.js';

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
