/**
 * Stores events and replies in an SQLite file, for one machine.
 *
 * @module
 */
export { openSqliteDatabase, type SqliteOptions, sqlite } from './sqlite.js';
