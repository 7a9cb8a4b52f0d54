/**
 * The lifecycle of one handed-over conversation: its states, who may change them, and where they are kept.
 *
 * @module
 */
export type {
  AdapterLink,
  Closure,
  Conversation,
  ConversationChange,
  ConversationFilter,
  NewConversation,
} from './conversation.js';
export { createLifecycle } from './create-lifecycle.js';
export type { CloseResult, HandoffLifecycle, RequestResult } from './lifecycle.js';
export { createMemoryStore } from './memory-store.js';
export { firstConversation, nextConversation } from './next-conversation.js';
export { type ClosedBy, type ConversationState, isOpen } from './state.js';
export type { CreateResult, HandoffStore } from './store.js';
