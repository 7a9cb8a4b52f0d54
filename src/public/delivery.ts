/**
 * From "accepted" to "handled": the delivery interface, and the inline delivery that needs no storage.
 *
 * @module
 */
export * from '../delivery/index.js';
