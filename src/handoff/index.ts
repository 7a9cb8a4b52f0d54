/**
 * The lifecycle of handed-over conversations, and their store.
 *
 * @module
 */
export type { AdapterLink, ClosedBy, Conversation, ConversationState } from '../events/index.js';
export {
  type CloseResult,
  createHandoffLifecycle,
  type HandoffLifecycle,
  type HandoffRequestResult,
} from './lifecycle.js';
export { createMemoryHandoffStore } from './memory-store.js';
export {
  applyConversationChange,
  type ConversationChange,
  type ConversationFilter,
  type CreateConversationResult,
  createConversation,
  type HandoffStore,
  isOpen,
  type NewConversation,
} from './store.js';
