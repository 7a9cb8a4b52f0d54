/**
 * The life of one handed-over conversation: its states, who may change them, and where they are kept.
 *
 * @module
 */
export type {
  Conversation,
  ConversationChange,
  ConversationFilter,
  Ending,
  Link,
  NewConversation,
} from './conversation.js';
export { createLife } from './create-life.js';
export type { Ended, Life, Requested } from './life.js';
export { createMemoryStore } from './memory-store.js';
export { firstConversation, nextConversation } from './next-conversation.js';
export { type ConversationState, type Ender, isOpen } from './state.js';
export type { Claim, HandoffStore } from './store.js';
