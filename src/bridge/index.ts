/**
 * The adapter interface, and the bridge that carries conversations between the service and a human-service
 * system.
 *
 * @module
 */
export {
  type Adapter,
  type Call,
  type Capabilities,
  type CheckResult,
  type CloseReason,
  type ConversationRef,
  defineAdapter,
  type Emit,
  type Opened,
  type OutgoingMessage,
  type Polled,
  type Rate,
  type Sent,
  type Session,
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
  Author,
  InboundClose,
  InboundEvent,
  InboundJoin,
  InboundMessage,
  InboundRequest,
  Parsed,
  Verdict,
} from './inbound.js';
export type { BridgeMessages, MessageText, TextContext } from './messages.js';
export type { BridgeOptions } from './options.js';
export type { RetryPolicy } from './retry-by-kind.js';
export { judgeSignature, type SignedWith } from './signature.js';
export type { BridgeStats } from './stats.js';
export { type TranscriptText, transcriptText } from './transcript-text.js';
export type { WebhookHandler } from './webhook.js';
