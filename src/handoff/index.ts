/**
 * The lifecycle of handed-over conversations, and their store.
 *
 * @module
 */
export type { AdapterLink, ClosedBy, Conversation, ConversationState } from '../events/index.js';
export {
  applyConversationChange,
  type ConversationChange,
  type ConversationFilter,
  createConversation,
  isOpen,
  type NewConversation,
} from './conversation.js';
export {
  type CloseResult,
  createHandoffLifecycle,
  type HandoffLifecycle,
  type HandoffRequestResult,
} from './lifecycle.js';
export { createMemoryHandoffStore } from './memory-store.js';
export type { CreateConversationResult, HandoffStore } from './store.js';
