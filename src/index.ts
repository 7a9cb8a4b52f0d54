/**
 * handoff-kit: the developer's side of a conversational-agent platform.
 *
 * - Applications start with {@link createReceiver}.
 * - `handoff-kit/fastify`, `handoff-kit/hono` and `handoff-kit/lambda` mount it where there is no Express.
 * - `handoff-kit/delivery/sqlite` and `handoff-kit/delivery/postgres` store events.
 * - `handoff-kit/adapters/…` connect human-service systems; `handoff-kit/adapter` is for writing one.
 * - `handoff-kit/testing` and `handoff-kit/simulator` are for tests.
 * - `handoff-kit/delivery`, `handoff-kit/client` and `handoff-kit/protocol` have the types behind the names below.
 *
 * @module
 */
export {
  type Adapter,
  type AdapterRetryPolicy,
  type Bridge,
  type BridgeMessages,
  type BridgeOptions,
  type BridgeStats,
  type BusinessHours,
  createBridge,
  type HandoffRoute,
  type IsOpenAt,
  type MessageText,
  type MessageTextContext,
  type RouteContext,
  type RouteHandoff,
  type Weekday,
  type WhenClosed,
} from './bridge/index.js';
export {
  createPlatformClient,
  type PlatformClient,
  type PlatformClientOptions,
  PlatformError,
} from './client/index.js';
export { type Delivery, type DeliveryStats, type InlineOptions, inline } from './delivery/index.js';
export type {
  AcceptMessage,
  AdapterMessage,
  EventStepMessage,
  FailureMessage,
  GreetMessage,
  HandleMessage,
  PlatformMessage,
  ReceiverStepMessage,
  ReplyMessage,
  RequestMessage,
  SendMessage,
  StepMessage,
  Steps,
  TraceCarrier,
  WebhookMessage,
} from './diagnostics/index.js';
export {
  type AdapterLink,
  type AdmitContext,
  type AdmitGate,
  type AnyHandler,
  type ClosedBy,
  type Closure,
  type Conversation,
  type ConversationState,
  type EndOptions,
  type ErrorHandler,
  type EventName,
  type EventPayloads,
  type FailureReport,
  type Handler,
  type HandlerContext,
  type Middleware,
  type MiddlewareNext,
  Postponed,
  type ProbePayload,
  type Receipt,
  type ReplyOptions,
  type TranscriptItem,
  Unrecoverable,
  type User,
} from './events/index.js';
export type { ConversationFilter } from './handoff/index.js';
export { createLog, type LogOptions } from './internal/create-log.js';
export { type ErrorCode, HandoffKitError, type Log } from './internal/index.js';
export { ValidationError } from './protocol/index.js';
export {
  type AuthChoice,
  type AuthFunction,
  type AuthRequest,
  type AuthScheme,
  type BotOptions,
  basic,
  bearer,
  type CommonReceiverOptions,
  type Conversations,
  createReceiver,
  type EndpointPaths,
  type FetchContext,
  type FetchHandler,
  type GreetingContext,
  type HandoffAnswers,
  type Inject,
  type InjectedPayload,
  type InjectedReply,
  type InjectOptions,
  type InjectResult,
  type NextFunction,
  noAuth,
  pathToken,
  type Receiver,
  type ReceiverAnswer,
  type ReceiverOptions,
  type ReceiverRequest,
  type RequestListener,
  type SendAnswer,
  type SeveralBotsOptions,
  webhookUser,
} from './receiver/index.js';
