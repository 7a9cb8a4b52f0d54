/**
 * The wire contract between the platform and a developer: schemas, types and constants. No I/O.
 *
 * @module
 */
export { type DroppedValue, droppedValues } from './dropped-values.js';
export * from './handoff.js';
export * from './knowledge.js';
export * from './message.js';
export { normaliseMessage, normaliseOrdinaryMessage } from './normalise-message.js';
export * from './platform-api.js';
export { isWholeSeconds, toDate } from './primitives.js';
export * from './read-answers.js';
export {
  type BodyIssue,
  invalidBody,
  isProbe,
  ValidationError,
  type ValidationErrorCode,
  validate,
  validateWebhook,
  type WebhookBody,
  type WebhookEndpoint,
  webhookBodies,
} from './validate.js';
