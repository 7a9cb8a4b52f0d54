/**
 * The wire contract: schemas, types and constants of everything that passes between the service and a
 * developer. No I/O here.
 *
 * @module
 */
export { type FailureBody, failureBody, isFailureBody, SERVICE_CODES } from './failure.js';
export * from './handoff.js';
export * from './knowledge.js';
export * from './message.js';
export { HANDOFF_PATHS, SERVICE_PATHS } from './paths.js';
export { toDate } from './primitives.js';
export * from './reply.js';
export {
  type BodyIssue,
  isProbe,
  ValidationError,
  validate,
  validateWebhook,
  type WebhookBody,
  type WebhookEndpoint,
  webhookBodies,
} from './validate.js';
export * from './webhook.js';
