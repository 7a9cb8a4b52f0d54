/**
 * A client of the platform's API: replies, ending a handoff, knowledge, webhook checks and health.
 *
 * @module
 */
export type { Fetch } from '../internal/index.js';
export type { Clock } from './clock.js';
export type { ServiceEndpoint } from './endpoints.js';
export type { HealthWatch, HealthWatchOptions, ServiceHealth, UnavailableReason } from './health.js';
export type {
  CallOptions,
  HeadersOption,
  HeaderValues,
  RetryPolicy,
  ServiceClientOptions,
} from './options.js';
export {
  createServiceClient,
  type EndInput,
  type KnowledgeClient,
  type ReplyInput,
  type ServiceClient,
  type WebhookCheck,
  type WebhookClient,
} from './service-client.js';
export {
  SERVICE_ERROR_CODES,
  ServiceError,
  type ServiceErrorCode,
  type ServiceErrorDetails,
  type ServiceOutcome,
} from './service-error.js';
