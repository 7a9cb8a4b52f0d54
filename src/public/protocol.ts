/**
 * The wire contract: schemas, types and constants of the requests between the platform and a developer. No I/O.
 *
 * @module
 */
export * from '../protocol/index.js';
