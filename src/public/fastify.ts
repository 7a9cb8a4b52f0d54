/**
 * A receiver in Fastify.
 *
 * @module
 */
export * from '../bindings/fastify.js';
