/**
 * The adapter interface, and the bridge that carries conversations between the service and a human-service
 * system.
 *
 * @module
 */
export {
  type Adapter,
  type AdapterCall,
  type AdapterCapabilities,
  type AdapterCheckResult,
  type CloseReason,
  type ConversationRef,
  defineAdapter,
  type EmitEvents,
  type HandoffSession,
  type OpenedConversation,
  type OutgoingMessage,
  type PollResult,
  type RateLimit,
  type SentMessage,
} from './adapter.js';
export { AdapterError, type AdapterErrorKind } from './adapter-error.js';
export { type Bridge, createBridge } from './create-bridge.js';
export { type BusinessHours, type IsOpenAt, readHours, type Weekday } from './hours.js';
export {
  type AdapterHttp,
  type AdapterHttpAnswer,
  type AdapterHttpOptions,
  type AdapterHttpRequest,
  createAdapterHttp,
} from './http.js';
export type {
  InboundClose,
  InboundEvent,
  InboundJoin,
  InboundMessage,
  InboundRequest,
  MessageAuthor,
  ParsedWebhook,
  SignatureVerdict,
} from './inbound.js';
export type { BridgeMessages, MessageText, MessageTextContext } from './messages.js';
export type { BridgeOptions } from './options.js';
export type { AdapterRetryPolicy } from './retry-by-kind.js';
export { type SignatureParts, verifySignature } from './signature.js';
export type { BridgeStats } from './stats.js';
export { type TranscriptText, transcriptText } from './transcript-text.js';
export type { WebhookHandler } from './webhook.js';
