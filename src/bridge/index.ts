/**
 * The adapter interface, and the bridge that carries conversations between the platform and a helpdesk.
 *
 * @module
 */
export { type Adapter, type AdapterCapabilities, defineAdapter, type RateLimit } from './adapter/adapter.js';
export {
  type AccessToken,
  type AdapterHttp,
  type AdapterHttpOptions,
  type AdapterHttpRequest,
  type AdapterHttpResponse,
  type AdapterReader,
  createAdapterHttp,
  createAdapterReader,
  createTokenAuthorization,
  refreshTokenForm,
  type TokenAuthorization,
} from './adapter/adapter-http.js';
export type {
  AdapterCall,
  AdapterCheckResult,
  CloseReason,
  ConversationRef,
  EmitEvents,
  HandoffRoute,
  HandoffSession,
  InboundAttachment,
  InboundClose,
  InboundEvent,
  InboundJoin,
  InboundMessage,
  InboundRequest,
  MessageAuthor,
  OpenedConversation,
  OutgoingMessage,
  ParsedWebhook,
  PollResult,
  SentMessage,
  SignatureVerdict,
  UndeliveredMessage,
  UndeliveredReason,
} from './adapter/adapter-types.js';
export {
  AdapterError,
  type AdapterErrorCode,
  type AdapterErrorKind,
  nullIf,
} from './adapter/adapter-types.js';
export { type AgentMessage, type AgentMessageRules, readAgentMessage } from './adapter/agent-message.js';
export { createAgentNames } from './adapter/agent-names.js';
export {
  asObject,
  asObjects,
  asText,
  checkIds,
  checkSecrets,
  checkWords,
  isObject,
  type JsonObject,
  parseJson,
  readAs,
  readExtra,
  runCheck,
  secretResult,
} from './adapter/checks.js';
export { htmlToText } from './adapter/html-to-text.js';
export {
  keyHash,
  keyWithin,
  referenceLine,
  routeFacts,
  sessionFacts,
  sessionText,
  type TranscriptTextOptions,
  transcriptText,
  undeliveredNote,
  userName,
} from './adapter/text.js';
export {
  type SignatureInput,
  verifyRsaSignature,
  verifySecret,
  verifySignature,
} from './adapter/verify-signature.js';
export type { BridgeStats } from './bridge-context.js';
export { type BusinessHours, type IsOpenAt, readHours, type Weekday } from './business-hours.js';
export type { AdapterRetryPolicy } from './calls/adapter-calls.js';
export { type Bridge, createBridge } from './create-bridge.js';
export { forgetStoredEvents } from './inbound/stored-events.js';
export {
  type BridgeMessages,
  type BridgeOptions,
  checkBridgeOptionNames,
  checkWhenClosed,
  type MessageText,
  type MessageTextContext,
  type RouteContext,
  type RouteHandoff,
  type WhenClosed,
} from './options.js';
