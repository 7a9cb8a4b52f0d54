import type { DeliveredEvent } from '../events/index.js';

/** Something stored that is to be done when its turn in its conversation has come: an event, or a reply. */
export interface Work {
  /** What its receipt is known by. */
  readonly id: string;
  readonly key: string;
  readonly conversationId: string;
  /** JSON; `null` once it was done and its content dropped, or where the event itself is here. */
  readonly content: string | null;
  /** Attempts begun so far, this one too. */
  readonly attempts: number;
  /** Whether nobody knows how the attempt before ended: the process died in it. */
  readonly interrupted: boolean;
  readonly createdAt: number;
  /** The event itself, where it has not left this process since it came. */
  readonly event?: DeliveredEvent;
}

/** How an attempt ended. */
export type Ending =
  | { readonly state: 'done'; readonly answer?: unknown }
  | { readonly state: 'dead'; readonly error: string }
  | {
      readonly state: 'waiting';
      readonly error: string;
      readonly afterMs: number;
      /** Whether the attempt does not count, since nothing was wrong with what was tried. */
      readonly postponed?: boolean;
    };

/** Makes one attempt and tells how it ended, perhaps before it returns. Never throws, and always tells. */
export type Attempt = (work: Work, onEnd: (ending: Ending) => void) => void;
