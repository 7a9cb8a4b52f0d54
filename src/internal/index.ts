/**
 * Small helpers without domain knowledge: errors, limits, logging, HTTP, timers.
 *
 * @module
 */

export { type Backoff, delayAfter } from './backoff.js';
export {
  checkCount,
  checkDuration,
  configError,
  HandoffKitError,
  LONGEST_TIMER_MS,
} from './error.js';
export {
  type ConnectionFailure,
  type Fetch,
  type HttpAnswer,
  type HttpInterruption,
  type HttpResult,
  type OutgoingRequest,
  readRetryAfter,
  sendRequest,
} from './http.js';
export { isRecord, parseJsonOrText, quoteLargeIntegers } from './json.js';
export { requireOptional } from './load-optional.js';
export { createWarnOnce, type Log, REDACTED, silentLog } from './log.js';
export { checkOptionNames, closestName } from './option-names.js';
export { createRecentKeys } from './recent-keys.js';
export {
  createKeyedQueue,
  createTaskCounter,
  type KeyedQueue,
  settlesWithin,
  type TaskCounter,
} from './tasks.js';
