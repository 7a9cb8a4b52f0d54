/**
 * Small helpers without domain knowledge: errors, limits, logging, HTTP, timers.
 *
 * @module
 */

export { type ErrorCode, HandoffKitError } from './error.js';
export {
  type ConnectionFailure,
  type Fetch,
  type HttpAnswer,
  type HttpInterruption,
  type HttpResult,
  type OutgoingRequest,
  parseJsonOrText,
  readRetryAfter,
  sendRequest,
} from './http.js';
export { createKeyedQueue, type KeyedQueue } from './keyed-queue.js';
export { checkCount, checkDuration, configError, LONGEST_TIMER_MS } from './limits.js';
export { requireOptional } from './load-optional.js';
export { createWarnOnce, type Log, REDACTED, silentLog } from './log.js';
export { createRecentKeys } from './recent-keys.js';
export { createTaskCounter, settlesWithin, type TaskCounter } from './task-counter.js';
