/**
 * Keeps events and replies in an SQLite file, for one machine.
 *
 * @module
 */
export { openSqliteDatabase, openSqliteQueues, type SqliteOptions, sqlite } from './sqlite.js';
