/**
 * Stores events and replies in an SQLite file, for one machine.
 *
 * @module
 */
export * from '../../delivery/sqlite/index.js';
