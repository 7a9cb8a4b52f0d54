/**
 * A client of what the service hosts: replies, closing, knowledge, webhook checks and health.
 *
 * @module
 */
export type { Fetch } from '../internal/index.js';
export type { Clock } from './clock.js';
export type { EndInput, ConversationCalls, ReplyInput } from './conversation.js';
export { createServiceClient, type ServiceClient } from './create-client.js';
export type { ServiceEndpoint } from './endpoints.js';
export type { HeadersOption, HeaderValues } from './headers.js';
export type { ServiceHealth, UnavailableReason } from './health.js';
export type { KnowledgeCalls } from './knowledge.js';
export type { CallOptions, ServiceClientOptions } from './options.js';
export type { RetryPolicy } from './retry.js';
export {
  SERVICE_ERROR_CODES,
  ServiceError,
  type ServiceErrorCode,
  type ServiceErrorDetails,
  type ServiceOutcome,
} from './service-error.js';
export type { HealthWatch, WatchOptions } from './watch.js';
export type { WebhookCalls, WebhookCheck } from './webhooks.js';
