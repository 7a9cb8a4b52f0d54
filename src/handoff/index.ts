/**
 * The lifecycle of handed-over conversations, and the store that keeps them.
 *
 * @module
 */
export type { AdapterLink, ClosedBy, Conversation, ConversationState } from '../events/index.js';
export {
  type ConversationChange,
  type ConversationFilter,
  firstConversation,
  isOpen,
  type NewConversation,
  nextConversation,
} from './conversation.js';
export { type CloseResult, createLifecycle, type HandoffLifecycle, type RequestResult } from './lifecycle.js';
export { createMemoryStore } from './memory-store.js';
export type { CreateResult, HandoffStore } from './store.js';
