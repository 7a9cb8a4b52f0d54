import type { Run } from '../events/index.js';

/**
 * One run of an event's handlers that can be aborted. Its controller comes into being when somebody asks for the
 * signal, since most handlers never do. A class, so that its getter is made once and not for each event.
 */
export class HandlerRun implements Run {
  readonly attempt: number;
  readonly #onAsked: (controller: AbortController) => void;
  #controller: AbortController | undefined;
  #aborted: { readonly reason: unknown } | undefined;

  /** `onAsked` hears of the controller when there is one. */
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

  /** The controller, if somebody asked for the signal. */
  get controller(): AbortController | undefined {
    return this.#controller;
  }

  /** Tells handlers that nobody waits for them any more. */
  abort(reason: unknown): void {
    this.#aborted = { reason };
    this.#controller?.abort(reason);
  }
}
