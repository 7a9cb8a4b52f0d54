import { botField, ClaimLost, type DeliveredEvent, type HandlerRun } from '../events/index.js';
import { configError, HandoffKitError, settlesWithin } from '../internal/index.js';
import type { DeliveryReceiver } from './delivery.js';
import type { ClaimedJob } from './queue.js';
import type { WorkerSlot } from './worker.js';

/** Throws when a delivery was given to a second receiver. */
export function checkUnconnected(receiver: object | undefined): void {
  if (!receiver) return;
  throw configError(
    'this delivery belongs to another receiver already. Create one for each receiver, each with its own name if they share a database, or use one receiver with several bots.',
  );
}

/** The receiver of a delivery; throws before it is connected. */
export function connected(receiver: DeliveryReceiver | undefined): DeliveryReceiver {
  if (receiver) return receiver;
  throw new HandoffKitError('NOT_STARTED', 'a delivery must be passed to createReceiver before it is used.');
}

/** The error that handlers threw, or `null`. */
export type RunResult = { readonly error: unknown } | null;

/** The claim under which a stored event is handled. */
export interface RunClaim {
  readonly job: ClaimedJob;
  /** See {@link HandlerRun.isClaimed}. */
  isValid(): boolean;
  /** See {@link HandlerRun.ensureClaimed}. */
  ensure(): Promise<void>;
  /** The worker's slot. */
  readonly slot?: WorkerSlot;
}

export interface HandlerRunner {
  /** Runs an event's handlers. A run beyond the time limit is aborted and counts as failed. */
  run(
    receiver: DeliveryReceiver,
    event: DeliveredEvent,
    attempt: number,
    claim?: RunClaim,
  ): Promise<RunResult>;
  /** Gives up all runs: aborts their signals, and starts none of their handlers that were not started yet. */
  abortAll(): void;
}

export function createHandlerRunner(timeoutMs: number): HandlerRunner {
  const runs = new Set<AbortableRun>();

  return {
    run(receiver, event, attempt, claim) {
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
          receiver.report(error, { ...describeEvent(event), attempt });
          finish({ error });
        }, timeoutMs).unref();
        // A run that was given up has not finished its work, whatever its handlers return or throw then.
        receiver.handle(event, run).then(
          () => finish(run.abortReason === undefined ? null : { error: run.abortReason }),
          (error: unknown) => finish({ error: run.abortReason ?? error }),
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

/** The platform waits a minute for the first reply, which the handler may send: it must go out well before that. */
const GREETING_TIMEOUT_MS = 10_000;

/** Greets the user of a handoff. Rejects when the greeting fails in time; a later failure is reported. */
export async function greet(
  receiver: DeliveryReceiver,
  event: DeliveredEvent<'handoff.requested'>,
  timeoutMs = GREETING_TIMEOUT_MS,
): Promise<void> {
  const greeting = receiver.greet(event);
  if (await settlesWithin(greeting, timeoutMs)) return;
  greeting.catch((error: unknown) => receiver.report(error, describeEvent(event)));
  receiver.log.warn(describeEvent(event), 'the greeting takes long: the handoff is handled without it');
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

  /** Why the run was given up, if it was. */
  get abortReason(): unknown {
    return this.#aborted?.reason;
  }

  isClaimed(): boolean {
    return !this.#aborted && (this.claim?.isValid() ?? true);
  }

  async ensureClaimed(): Promise<void> {
    if (this.#aborted) throw this.#aborted.reason;
    try {
      await this.claim?.ensure();
    } catch (error) {
      if (error instanceof ClaimLost) this.abort(error);
      throw error;
    }
    // The check takes time, in which the run may have been given up.
    if (this.abortReason !== undefined) throw this.abortReason;
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

/** The error text in lists of jobs. Messages of errors never contain users' words. */
export function describeError(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return text.slice(0, 500);
}

export function logPostponed(
  receiver: DeliveryReceiver,
  event: DeliveredEvent,
  afterMs: number,
  { message }: Error,
): void {
  receiver.log.warn({ ...describeEvent(event), afterMs, reason: message }, 'postponed by its handler');
}
