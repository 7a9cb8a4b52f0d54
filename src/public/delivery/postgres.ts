/**
 * Stores events and replies in PostgreSQL, for several machines that share the work.
 *
 * @module
 */
export * from '../../delivery/postgres/index.js';
