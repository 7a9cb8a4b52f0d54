/**
 * The messages of the channels of `node:diagnostics_channel`, one channel per step.
 *
 * @module
 */
export type * from '../diagnostics/index.js';
