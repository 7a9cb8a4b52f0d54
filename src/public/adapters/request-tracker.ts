/**
 * The adapter for Request Tracker 5: a handed-over conversation is a ticket.
 *
 * @module
 */
export * from '../../adapters/request-tracker/index.js';
