/**
 * Keeps events and replies in a file, on one machine and without a server.
 *
 * @module
 */

export { openSqliteShelf } from './open-shelf.js';
export { type SqliteOptions, sqlite } from './sqlite.js';
export { openSqliteQueues } from './stored-queues.js';
