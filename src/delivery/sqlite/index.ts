/**
 * Stores events and replies in an SQLite file, for one machine.
 *
 * @module
 */
export { backUpSqlite, checkSqlite, compactSqlite, type SqliteReport } from './maintenance.js';
export { openSqliteDatabase, type SqliteOptions, sqlite } from './sqlite.js';
