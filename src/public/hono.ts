/**
 * A receiver in Hono.
 *
 * @module
 */
export * from '../bindings/hono.js';
