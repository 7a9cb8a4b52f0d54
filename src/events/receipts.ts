import { HandoffKitError } from '../internal/index.js';

/** The receipt of a reply or an end. */
export interface Receipt {
  /** The conversation. */
  readonly conversationId: string;
  /**
   * - `delivered`: the platform has it.
   * - `stored`: the outbox has it, and will send it.
   * - `queued`: with inline delivery, while a handoff request is handled: it is sent once the request is answered,
   *   after the greeting, and dropped if the handlers fail.
   */
  readonly state: 'queued' | 'stored' | 'delivered';
  /** The id of the stored reply, as in `handoff-kit outbox list`. Only in state `stored`. */
  readonly jobId?: string;
  /**
   * Waits until the platform has it. Resolves to the platform's answer, or to `null` where another process sent it or
   * this one did before the call; rejects when it was refused for good or removed, and with `DELIVERY_STOPPED` when the
   * receiver is closed while it is stored: then it is sent after the next start. With inline delivery, a handler of
   * `handoff.requested` that waits for it has the request answered 200 at once: if it fails later, the platform does not
   * learn of it.
   *
   * @example
   * const receipt = await reply('Hello'); // stored
   * await receipt.delivered(); // the platform has it
   */
  delivered(): Promise<unknown>;
}

/** Whether `delivered()` rejected only because the receiver was closed: the reply stays stored. */
export const isStillStored = (error: unknown): boolean =>
  error instanceof HandoffKitError && error.code === 'DELIVERY_STOPPED';

export const deliveredReceipt = (conversationId: string, answer: unknown): Receipt => ({
  conversationId,
  state: 'delivered',
  delivered: () => Promise.resolve(answer),
});

/**
 * What is replied to a conversation while the sender of its handoff request still waits. The platform knows the
 * conversation only after our 200, and would refuse an earlier reply:
 *
 * ```
 *   reply() ──► held ──► answered 200 ──► greeting ──► sent, in order
 *                 └────► the handlers fail: dropped, since the platform sends the request again or ends it
 * ```
 */
export class HeldReplies {
  #waiting: { readonly send: () => Promise<unknown>; readonly drop: () => void }[] = [];
  readonly #wantAnswer: () => void;

  /** @param wantAnswer - called when a handler waits for a reply to arrive, so that the request is answered first */
  constructor(wantAnswer: () => void) {
    this.#wantAnswer = wantAnswer;
    this.released = new Promise((resolve) => {
      this.#onReleased = resolve;
    });
  }

  /** Whether the request is answered, and the greeting on its way. */
  isAnswered = false;

  /** Resolves when everything that was held is on its way, in order. */
  readonly released: Promise<void>;
  #onReleased: () => void = () => undefined;

  /** Holds a reply: its receipt, and the platform's answer, which `send` resolves to. */
  add(conversationId: string, send: () => Promise<unknown>): { receipt: Receipt; sent: Promise<unknown> } {
    const sent = new Promise<unknown>((resolve, reject) => {
      this.#waiting.push({ send: () => send().then(resolve, reject), drop: () => reject(droppedError()) });
    });
    const delivered = (): Promise<unknown> => {
      this.#wantAnswer();
      return sent;
    };
    return { receipt: { conversationId, state: 'queued', delivered }, sent };
  }

  /** Drops everything that is held. */
  drop(): void {
    for (const { drop } of this.#take()) drop();
  }

  /** Sends everything, in order. Resolves when all has been sent or has failed. */
  async release(): Promise<void> {
    const sent = this.#take().map(({ send }) => send());
    this.#onReleased();
    await Promise.all(sent);
  }

  #take() {
    const waiting = this.#waiting;
    this.#waiting = [];
    return waiting;
  }
}

const droppedError = (): HandoffKitError =>
  new HandoffKitError(
    'REPLY_GONE',
    'the handlers of the handoff request failed, so their replies were not sent.',
  );
