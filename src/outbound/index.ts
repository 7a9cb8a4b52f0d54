/**
 * One HTTP request and its answer: what every client in this package is made of.
 *
 * @module
 */
export type { ConnectionFailure } from './connection-failure.js';
export { type Exchange, exchange, type Fetch, type Interruption } from './exchange.js';
export { type Answer, parseBody, readRetryAfter } from './read-answer.js';
