/**
 * The steps of a receiver as `node:diagnostics_channel` events: one tracing channel per step.
 *
 * @module
 */
export { channels, observeStep, reportFailure, traceRequest, traceStep } from './channels.js';
export type * from './messages.js';
