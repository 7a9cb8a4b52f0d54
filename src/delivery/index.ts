/**
 * From "accepted" to "handled": the delivery interface, and the inline delivery that needs no storage.
 *
 * @module
 */
export type {
  DeliveredEvent,
  DeliveredEventName,
  FailureDetails,
  HandlerRun,
  Replies,
} from '../events/index.js';
export type {
  AdapterLink,
  CloseResult,
  ConversationChange,
  CreateConversationResult,
  HandoffLifecycle,
  HandoffRequestResult,
  HandoffStore,
  NewConversation,
} from '../handoff/index.js';
export type { Backoff } from '../internal/index.js';
export type { Acceptance, Delivery, DeliveryReceiver, DeliveryStats } from './delivery.js';
export { type InlineOptions, inline } from './inline.js';
export type { OutboxPolicy } from './outbox/send-job.js';
export type { QueueKind } from './queue.js';
export {
  conversationKey,
  DEFAULT_RECEIVER,
  decodeText,
  encodeText,
  receiverOfKey,
} from './storage/encoding.js';
export type { OpenDatabase, StoredRecord } from './storage/open-database.js';
export type {
  JobFilter,
  OutboxDepth,
  QueueAdmin,
  QueueDepth,
  StoredJob,
  StoredJobDetails,
} from './storage/queue-admin.js';
export type { ForgetHook, SqlDatabase, SqlRow, SqlStatement, SqlValue } from './storage/sql.js';
export type { StoredDeliveryOptions } from './stored-delivery.js';
