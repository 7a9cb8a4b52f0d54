/**
 * What happens inside, as events of `node:diagnostics_channel`: one tracing channel per step.
 *
 * @module
 */
export { channels, observeStep, reportFailure, traceRequest, traceStep } from './channels.js';
export type * from './messages.js';
