/**
 * From "accepted" to "handled": the delivery interface, and the inline delivery that needs no storage.
 *
 * @module
 */

// The interface of a delivery, and the one without storage.

export {
  type Acceptance,
  type DeliveredEvent,
  type DeliveredEventName,
  type Delivery,
  type DeliveryReceiver,
  type DeliveryStats,
  type FailureDetails,
  type HandlerRun,
  type InlineOptions,
  inline,
  type Replies,
} from '../delivery/index.js';

// Options of the deliveries that store events and replies.

export type { Backoff, OutboxPolicy, StoredDeliveryOptions } from '../delivery/index.js';

// Stored events and replies, as an operator sees them: `receiver.storage.queues`.

export type {
  JobFilter,
  OutboxDepth,
  QueueAdmin,
  QueueDepth,
  QueueKind,
  StoredJob,
  StoredJobDetails,
} from '../delivery/index.js';

// The database of a delivery, and one that an operator opens.

export type {
  ForgetHook,
  OpenDatabase,
  SqlDatabase,
  SqlRow,
  SqlStatement,
  SqlValue,
  StoredRecord,
} from '../delivery/index.js';

// Handed-over conversations, and the store that a delivery keeps them in.

export type {
  AdapterLink,
  CloseResult,
  ConversationChange,
  CreateConversationResult,
  HandoffLifecycle,
  HandoffRequestResult,
  HandoffStore,
  NewConversation,
} from '../delivery/index.js';
