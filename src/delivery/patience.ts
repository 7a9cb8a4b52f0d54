import { type DeliveredEvent, Postponed } from '../events/index.js';
import type { Backoff } from './backoff.js';
import type { DeliveryHost } from './delivery.js';
import { about, type HandlerRuns, type RunEnd } from './handler-run.js';
import { createPostponements } from './postponements.js';

/** Handles postponed events again, in a process that stores nothing. */
export interface Patience {
  /**
   * Where a run ended with a postponement, waits and runs the handlers again until they postpone no more. Where
   * that takes too long, or the process goes down meanwhile, the event has failed, and that is reported.
   */
  goOn(host: DeliveryHost, event: DeliveredEvent, first: RunEnd): Promise<RunEnd>;
  /** Nobody waits any more. */
  stop(): void;
}

/** Makes {@link Patience} that lasts for so long with each event. */
export function createPatience(runs: HandlerRuns, backoff: Backoff, totalMs: number): Patience {
  const postponements = createPostponements(backoff);
  const waits = new Set<() => void>();
  let stopped = false;

  const wait = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        waits.delete(end);
        resolve();
      };
      const timer = setTimeout(end, ms).unref();
      waits.add(end);
    });

  return {
    async goOn(host, event, first) {
      const deadline = performance.now() + totalMs;
      let end = first;
      while (!stopped && end?.error instanceof Postponed) {
        const afterMs = postponements.next(event.key, end.error);
        if (performance.now() + afterMs > deadline) break;
        host.log.warn({ ...about(event), afterMs, reason: end.error.message }, 'postponed by its handler');
        await wait(afterMs);
        if (!stopped) end = await runs.run(host, event, 1);
      }
      postponements.end(event.key);
      if (end?.error instanceof Postponed) host.report(end.error, { ...about(event), attempt: 1 });
      return end;
    },
    stop() {
      stopped = true;
      for (const end of waits) end();
    },
  };
}
