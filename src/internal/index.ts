/**
 * Small helpers that know nothing of the protocol: errors, limits, logging, HTTP, timers.
 *
 * @module
 */
export { createDeadlines, type Deadlines } from './deadlines.js';
export { HandoffKitError } from './error.js';
export {
  type HttpAnswer,
  type ConnectionFailure,
  type HttpExchange,
  exchange,
  type Fetch,
  type HttpInterruption,
  parseJsonOrText,
  readRetryAfter,
} from './http.js';
export { createKeyHash } from './key-hash.js';
export { createKeyedQueue, type KeyedQueue } from './keyed-queue.js';
export { configError, duration, LONGEST_TIMER_MS, quantityOf } from './limits.js';
export {
  CENSOR,
  createLog,
  createWarnOnce,
  type Log,
  type LogOptions,
  silentLog,
  withRedaction,
} from './log.js';
export { createPending, type Pending, within } from './pending.js';
