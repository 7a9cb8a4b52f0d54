/**
 * Small helpers that know nothing of the protocol: errors, limits, logging, HTTP, timers.
 *
 * @module
 */
export { type ErrorCode, HandoffKitError } from './error.js';
export {
  type ConnectionFailure,
  exchange,
  type Fetch,
  type HttpAnswer,
  type HttpExchange,
  type HttpInterruption,
  parseJsonOrText,
  readRetryAfter,
} from './http.js';
export { createKeyedQueue, type KeyedQueue } from './keyed-queue.js';
export { configError, duration, LONGEST_TIMER_MS, quantityOf } from './limits.js';
export { CENSOR, createWarnOnce, type Log, silentLog } from './log.js';
export { createPending, type Pending, within } from './pending.js';
export { createRecentKeys } from './recent-keys.js';
