/**
 * Keeps events and replies in PostgreSQL, for several machines that share the work.
 *
 * @module
 */

export { openPostgresShelf } from './open-shelf.js';
export { type PostgresConnection, type PostgresOptions, postgres } from './postgres.js';
export { openPostgresQueues } from './stored-queues.js';
