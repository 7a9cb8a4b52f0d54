import { botField, ClaimLost, type DeliveredEvent, type HandlerRun, Postponed } from '../events/index.js';
import { HandoffKitError } from '../internal/index.js';
import { type Backoff, createPostponements } from './backoff.js';
import type { DeliveryHost } from './delivery.js';
import type { ClaimedJob } from './queue.js';
import type { WorkerSlot } from './worker.js';

/** The error that handlers threw, or `null`. */
export type RunResult = { readonly error: unknown } | null;

/** The claim under which a stored event is handled. */
export interface RunClaim {
  readonly job: ClaimedJob;
  /** See {@link HandlerRun.ensureClaimed}. */
  ensure(): Promise<void>;
  /** The worker's slot. */
  readonly slot?: WorkerSlot;
}

/** Runs handlers with a time limit. */
export interface HandlerRunner {
  /** Runs an event's handlers. A run beyond the time limit is aborted and counts as failed. */
  run(host: DeliveryHost, event: DeliveredEvent, attempt: number, claim?: RunClaim): Promise<RunResult>;
  /** Gives up all runs: aborts their signals, and starts none of their handlers that were not started yet. */
  abortAll(): void;
}

export function createHandlerRunner(timeoutMs: number): HandlerRunner {
  const runs = new Set<AbortableRun>();

  return {
    run(host, event, attempt, claim) {
      const run = new AbortableRun(attempt, claim);
      runs.add(run);
      return new Promise((resolve) => {
        const finish = (result: RunResult): void => {
          clearTimeout(timer);
          runs.delete(run);
          resolve(result);
        };
        const timer = setTimeout(() => {
          const error = timeoutError(event, timeoutMs);
          run.abort(error);
          host.report(error, { ...describeEvent(event), attempt });
          finish({ error });
        }, timeoutMs).unref();
        host.handle(event, run).then(
          () => finish(null),
          (error: unknown) => finish({ error }),
        );
      });
    },
    abortAll() {
      const reason = new HandoffKitError(
        'SHUTTING_DOWN',
        'the receiver is closing and no longer waits for handlers.',
      );
      for (const run of runs) run.abort(reason);
    },
  };
}

/** The fields that identify an event in log lines and error reports. */
export const describeEvent = ({ name, bot, conversationId, requestId }: DeliveredEvent) => ({
  event: name,
  ...botField(bot),
  conversationId,
  requestId,
});

const timeoutError = (event: DeliveredEvent, ms: number): HandoffKitError =>
  new HandoffKitError(
    'HANDLER_TIMEOUT',
    `handlers of ${event.name} were still running after ${ms} ms; later events of the conversation no longer wait for them. Watch the handler's signal, or raise handlerTimeoutMs.`,
  );

/** Creates the signal when a handler first reads it: most never do, and a controller costs a microsecond. */
export class AbortableRun implements HandlerRun {
  readonly attempt: number;
  readonly claim: RunClaim | undefined;
  #controller: AbortController | undefined;
  #aborted: { readonly reason: unknown } | undefined;

  constructor(attempt: number, claim: RunClaim | undefined) {
    this.attempt = attempt;
    this.claim = claim;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#aborted) this.#controller.abort(this.#aborted.reason);
    return this.#controller.signal;
  }

  async ensureClaimed(): Promise<void> {
    if (this.#aborted) throw this.#aborted.reason;
    try {
      await this.claim?.ensure();
    } catch (error) {
      if (error instanceof ClaimLost) this.abort(error);
      throw error;
    }
  }

  async withoutSlot<Result>(task: () => Promise<Result>): Promise<Result> {
    this.claim?.slot?.leave();
    try {
      return await task();
    } finally {
      this.claim?.slot?.takeBack();
    }
  }

  abort(reason: unknown): void {
    this.#aborted = { reason };
    this.#controller?.abort(reason);
  }
}

/** Retries postponed events in memory, for inline delivery. */
export interface InlineRetry {
  /**
   * Runs the handlers again, after a delay each time, until they no longer postpone. The event fails, and is
   * reported, when the time limit has passed or the process stops.
   */
  retry(host: DeliveryHost, event: DeliveredEvent, first: RunResult): Promise<RunResult>;
  /** Ends all waits. */
  stop(): void;
}

/** Creates an {@link InlineRetry} that gives each event `totalMs`. */
export function createInlineRetry(runner: HandlerRunner, backoff: Backoff, totalMs: number): InlineRetry {
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
    async retry(host, event, first) {
      const deadline = performance.now() + totalMs;
      let result = first;
      while (!stopped && result?.error instanceof Postponed) {
        const afterMs = postponements.next(event.key, result.error);
        if (performance.now() + afterMs > deadline) break;
        logPostponed(host, event, afterMs, result.error);
        await wait(afterMs);
        if (!stopped) result = await runner.run(host, event, 1);
      }
      postponements.end(event.key);
      if (result?.error instanceof Postponed) {
        host.report(result.error, { ...describeEvent(event), attempt: 1 });
      }
      return result;
    },
    stop() {
      stopped = true;
      for (const end of waits) end();
    },
  };
}

/** Logs that a handler postponed its event. */
export function logPostponed(
  host: DeliveryHost,
  event: DeliveredEvent,
  afterMs: number,
  { message }: Error,
): void {
  host.log.warn({ ...describeEvent(event), afterMs, reason: message }, 'postponed by its handler');
}
