/**
 * What the package writes for its operators, and what it keeps out of it.
 *
 * @module
 */
export { createLog, type LogOptions, withRedaction } from './create-log.js';
export { createWarnOnce, type Log, silentLog } from './log.js';
export { CENSOR } from './redact.js';
