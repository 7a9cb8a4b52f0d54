/**
 * Stores events and replies in PostgreSQL, for several machines that share the work.
 *
 * @module
 */
export type { PostgresConnection } from './connection.js';
export { openPostgresDatabase, type PostgresOptions, postgres } from './postgres.js';
