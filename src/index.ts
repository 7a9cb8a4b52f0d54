/**
 * handoff-kit: the developer's side of a conversational-agent platform.
 *
 * @module
 */
export {
  type Adapter,
  type AdapterCheckResult,
  type AdapterRetryPolicy,
  type Bridge,
  type BridgeMessages,
  type BridgeOptions,
  type BridgeStats,
  type BusinessHours,
  createBridge,
  type IsOpenAt,
  type MessageText,
  type MessageTextContext,
  type WebhookHandler,
  type Weekday,
} from './bridge/index.js';
export {
  createServiceClient,
  type ServiceClient,
  type ServiceClientOptions,
  ServiceError,
} from './client/index.js';
export {
  type Acceptance,
  type Delivery,
  type DeliveryHost,
  type DeliveryStats,
  type InlineOptions,
  inline,
} from './delivery/index.js';
export type {
  AdmitContext,
  AdmitGate,
  AnyHandler,
  ConversationActions,
  DeliveredEvent,
  DeliveredName,
  EndOptions,
  ErrorHandler,
  EventName,
  EventPayloads,
  FailureReport,
  Handler,
  HandlerContexts,
  HandlerRun,
  HandoffClosedContext,
  HandoffMessageContext,
  HandoffRequestedContext,
  MessageContext,
  ProbeContext,
  ProbePayload,
  Receipt,
  ReplyOptions,
  TranscriptItem,
  User,
} from './events/index.js';
export { Postponed } from './events/index.js';
export type {
  AdapterLink,
  ClosedBy,
  CloseResult,
  Closure,
  Conversation,
  ConversationChange,
  ConversationFilter,
  ConversationState,
  CreateResult,
  HandoffLifecycle,
  HandoffStore,
  NewConversation,
  RequestResult,
} from './handoff/index.js';
export { createLog, HandoffKitError, type Log, type LogOptions } from './internal/index.js';
export { ValidationError } from './protocol/index.js';
export {
  type AuthChoice,
  type AuthFunction,
  type AuthRequest,
  type AuthScheme,
  basic,
  bearer,
  type Conversations,
  createReceiver,
  type EndpointPaths,
  type GreetingContext,
  type HandoffAnswers,
  type NextFunction,
  noAuth,
  pathToken,
  type Receiver,
  type ReceiverOptions,
  type RequestListener,
  webhookUser,
} from './receiver/index.js';
