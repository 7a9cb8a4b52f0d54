import type { DeliveredEvent } from '../events/index.js';
import type { AdapterLink, Conversation } from './conversation.js';
import type { ClosedBy } from './state.js';
import type { HandoffStore } from './store.js';

/** What became of a request for a human. */
export interface RequestResult {
  readonly conversation: Conversation;
  /** Whether this call began the conversation (or began it anew); `false` for a repeat. */
  readonly isNew: boolean;
}

/** What became of a wish to end a conversation. */
export interface CloseResult {
  readonly conversation: Conversation;
  /** Whether this call ended it; `false` when the other side was first. */
  readonly isFirst: boolean;
}

/**
 * Follows conversations through their lifecycle. Every verb is one compare-and-set, may be said again by somebody
 * who does not know that it was said, and then changes nothing. `null`: there is no such conversation, or its
 * state does not allow it.
 */
export interface HandoffLifecycle {
  /** Where the conversations are kept. */
  readonly store: HandoffStore;
  /**
   * The service asks for a human. A repeat of the same request gives the conversation as it stands; a new
   * request for an id that has ended, or is just being closed, begins it anew, as does the same request once it
   * has failed.
   */
  request(event: DeliveredEvent<'handoff.requested'>): Promise<RequestResult>;
  /** A human-service system has it now. Of several links the first stays: look which one it is. */
  link(id: string, link: AdapterLink): Promise<Conversation | null>;
  /** The service was told yes: `requested` becomes `waiting`. */
  accept(id: string): Promise<Conversation | null>;
  /** Something was said to the user. By a human: `waiting` becomes `connected`. */
  replied(
    id: string,
    by: { readonly human: boolean; readonly agent?: string | null },
  ): Promise<Conversation | null>;
  /** One side ends it: it becomes `closing`, and the other side is to be told. */
  end(id: string, by: ClosedBy, why?: string | null): Promise<CloseResult | null>;
  /** Both sides know: `closing` becomes `closed`. */
  close(id: string): Promise<Conversation | null>;
  /** It cannot be brought to a human. */
  fail(id: string, why: string): Promise<Conversation | null>;
}
