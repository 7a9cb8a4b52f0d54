/**
 * A client of the platform's API: replies, ending a handoff, knowledge, webhook checks and health.
 *
 * @module
 */
export * from '../client/index.js';
