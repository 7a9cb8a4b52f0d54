/**
 * Where a handed-over conversation stands.
 *
 * - `requested`: the service asked for a human, and nobody has said yes yet.
 * - `waiting`: accepted; no human has answered so far.
 * - `connected`: a human has answered.
 * - `closing`: one side has ended it, the other is being told.
 * - `closed`: both sides know.
 * - `failed`: it could not be brought to a human.
 */
export type ConversationState = 'requested' | 'waiting' | 'connected' | 'closing' | 'closed' | 'failed';

/** Who ended a conversation: its user, the service's clock, a human agent, or this package. */
export type ClosedBy = 'user' | 'timeout' | 'agent' | 'kit';

const NEXT: Readonly<Record<ConversationState, readonly ConversationState[]>> = {
  requested: ['waiting', 'connected', 'closing', 'failed'],
  waiting: ['connected', 'closing', 'failed'],
  connected: ['closing', 'failed'],
  closing: ['closed', 'requested'],
  closed: ['requested'],
  failed: ['requested'],
};

/** Whether a conversation may go from one state to another. Only a new request leads out of an end. */
export const mayBecome = (from: ConversationState, to: ConversationState): boolean => NEXT[from].includes(to);

/** Whether words can still be exchanged. */
export const isOpen = (state: ConversationState): boolean =>
  state === 'requested' || state === 'waiting' || state === 'connected';
