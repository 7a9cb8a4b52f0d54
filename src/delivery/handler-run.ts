import type { DeliveredEvent, HandlerRun } from '../events/index.js';
import { createDeadlines, HandoffKitError } from '../internal/index.js';
import type { DeliveryHost } from './delivery.js';

/** How a run of handlers ended: `null`, or what they threw. */
export type RunEnd = { readonly error: unknown } | null;

/** Runs handlers, none of them for ever. */
export interface HandlerRuns {
  /**
   * Runs an event's handlers. A run that takes too long is aborted and counts as failed. No promise: they had nothing
   * to wait for and are done.
   */
  run(host: DeliveryHost, event: DeliveredEvent, attempt: number): Promise<RunEnd> | null;
  /** The same for who has more to do in the very moment it ends, and would wait a turn longer for a promise. */
  start(host: DeliveryHost, event: DeliveredEvent, attempt: number, onEnd: (end: RunEnd) => void): void;
  /** Tells all handlers that look at their signal that nobody waits for them any more. */
  abortAll(): void;
}

/** Makes {@link HandlerRuns}. */
export function createHandlerRuns(timeoutMs: number): HandlerRuns {
  /** The controllers of running handlers that have looked at their signal. */
  const watching = new Set<AbortController>();
  const deadlines = createDeadlines(timeoutMs);
  const watch = (controller: AbortController): void => {
    watching.add(controller);
  };

  /** Calls the handlers. No promise: they are done. */
  const call = (host: DeliveryHost, event: DeliveredEvent, run: AbortableRun): Promise<void> | undefined => {
    const handling = host.handle(event, run);
    if (!handling && run.controller) watching.delete(run.controller);
    return handling;
  };

  const wait = (
    host: DeliveryHost,
    event: DeliveredEvent,
    run: AbortableRun,
    handling: Promise<void>,
    onEnd: (end: RunEnd) => void,
  ): void => {
    let ended = false;
    const finish = (end: RunEnd): void => {
      deadline.clear();
      if (run.controller) watching.delete(run.controller);
      // Handlers that were given up end too, some time.
      if (ended) return;
      ended = true;
      onEnd(end);
    };
    const deadline = deadlines.start(() => {
      const error = timeoutError(event, timeoutMs);
      run.abort(error);
      host.report(error, { ...about(event), attempt: run.attempt });
      finish({ error });
    });
    handling.then(
      () => finish(null),
      (error: unknown) => finish({ error }),
    );
  };

  return {
    run(host, event, attempt) {
      const run = new AbortableRun(attempt, watch);
      const handling = call(host, event, run);
      return handling ? new Promise((resolve) => wait(host, event, run, handling, resolve)) : null;
    },
    start(host, event, attempt, onEnd) {
      const run = new AbortableRun(attempt, watch);
      const handling = call(host, event, run);
      if (handling) wait(host, event, run, handling, onEnd);
      else onEnd(null);
    },
    abortAll() {
      const reason = new HandoffKitError('SHUTTING_DOWN', 'the receiver is closing and waits no longer.');
      for (const controller of watching) controller.abort(reason);
    },
  };
}

/** What a log line or a failure says of an event. */
export const about = ({ name, conversationId, requestId }: DeliveredEvent) => ({
  event: name,
  conversationId,
  requestId,
});

const timeoutError = (event: DeliveredEvent, ms: number): HandoffKitError =>
  new HandoffKitError(
    'HANDLER_TIMEOUT',
    `handlers of ${event.name} were still running after ${ms} ms; their conversation goes on without them. Watch the handler's signal, or raise handlerTimeoutMs.`,
  );

/**
 * One run that can be aborted. Its controller comes into being when somebody asks for the signal, since most
 * handlers never do. A class, so that its getter is made once and not for each event.
 */
class AbortableRun implements HandlerRun {
  readonly attempt: number;
  readonly #onAsked: (controller: AbortController) => void;
  #controller: AbortController | undefined;
  #aborted: { readonly reason: unknown } | undefined;

  constructor(attempt: number, onAsked: (controller: AbortController) => void) {
    this.attempt = attempt;
    this.#onAsked = onAsked;
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      this.#onAsked(this.#controller);
    }
    if (this.#aborted) this.#controller.abort(this.#aborted.reason);
    return this.#controller.signal;
  }

  get controller(): AbortController | undefined {
    return this.#controller;
  }

  abort(reason: unknown): void {
    this.#aborted = { reason };
    this.#controller?.abort(reason);
  }
}
