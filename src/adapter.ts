/**
 * Everything an adapter author needs: the {@link Adapter} interface, its types, and helpers for HTTP, signatures and
 * transcripts. Applications that use an existing adapter need `handoff-kit` only.
 *
 * @example
 * import { createAdapterHttp, defineAdapter, transcriptText, verifySignature } from 'handoff-kit/adapter';
 *
 * @module
 */
export {
  type AccessToken,
  type Adapter,
  type AdapterCall,
  type AdapterCapabilities,
  type AdapterCheckResult,
  AdapterError,
  type AdapterErrorKind,
  type AdapterHttp,
  type AdapterHttpOptions,
  type AdapterHttpRequest,
  type AdapterHttpResponse,
  type CloseReason,
  type ConversationRef,
  createAdapterHttp,
  createTokenAuthorization,
  defineAdapter,
  type EmitEvents,
  type HandoffRoute,
  type HandoffSession,
  htmlToText,
  type InboundAttachment,
  type InboundClose,
  type InboundEvent,
  type InboundJoin,
  type InboundMessage,
  type InboundRequest,
  type MessageAuthor,
  type OpenedConversation,
  type OutgoingMessage,
  type ParsedWebhook,
  type PollResult,
  type RateLimit,
  type SentMessage,
  type SignatureInput,
  type SignatureVerdict,
  sessionText,
  type TokenAuthorization,
  type TranscriptTextOptions,
  transcriptText,
  type UndeliveredMessage,
  type UndeliveredReason,
  undeliveredNote,
  verifyRsaSignature,
  verifySecret,
  verifySignature,
} from './bridge/index.js';
export type { Receipt, TranscriptItem, User } from './events/index.js';
export type { ClosedBy } from './handoff/index.js';
export type { Fetch, Log } from './internal/index.js';
