/**
 * What happens between "accepted" and "handled".
 *
 * @module
 */
export type { Acceptance, Delivery, DeliveryHost, DeliveryStats } from './delivery.js';
export { type InlineOptions, inline } from './inline.js';
export { createMemoryShelf } from './memory-shelf.js';
export { createRecentKeys } from './recent-keys.js';
export type * from './shelf.js';
export type * from './sql.js';
export type {
  QueueDepth,
  QueueName,
  StoredItem,
  StoredItemDetails,
  StoredQueues,
} from './stored-queues.js';
export { fromText, toText } from './text.js';
