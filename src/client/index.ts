/**
 * A client of the platform's API: replies, ending a handoff, knowledge, webhook checks and health.
 *
 * @module
 */
export type { Fetch } from '../internal/index.js';
export type { WebhookCheck } from '../protocol/index.js';
export type { HealthWatch, HealthWatchOptions, PlatformHealth, UnavailableReason } from './health.js';
export type {
  CallOptions,
  HeadersOption,
  HeaderValues,
  PlatformClientOptions,
  PlatformEndpoint,
  RetryPolicy,
} from './options.js';
export {
  createPlatformClient,
  type EndInput,
  type KnowledgeClient,
  type PlatformClient,
  type ReplyInput,
  type WebhookClient,
} from './platform-client.js';
export {
  PLATFORM_ERROR_CODES,
  PlatformError,
  type PlatformErrorCode,
  type PlatformErrorDetails,
  type PlatformOutcome,
} from './platform-error.js';
