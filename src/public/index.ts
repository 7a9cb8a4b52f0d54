/**
 * handoff-kit: the developer's side of a chatbot platform.
 *
 * Applications start with {@link createReceiver}. The other parts are subpaths:
 *
 * - `handoff-kit/delivery/sqlite` and `handoff-kit/delivery/postgres` store events.
 * - `handoff-kit/bridge` connects a helpdesk, with an adapter of `handoff-kit/adapters/…` or your own on
 *   `handoff-kit/adapter`; `handoff-kit/desk` is a helpdesk in the browser.
 * - `handoff-kit/fastify`, `handoff-kit/hono` and `handoff-kit/lambda` mount a receiver where there is no Express.
 * - `handoff-kit/client` is the client of the platform's API.
 * - `handoff-kit/testing` and `handoff-kit/simulator` are for tests.
 * - `handoff-kit/metrics`, `handoff-kit/opentelemetry` and `handoff-kit/diagnostics` show what happens inside.
 * - `handoff-kit/delivery`, `handoff-kit/bindings` and `handoff-kit/protocol` have the types behind the names below.
 *
 * @module
 */

export { PlatformError } from '../client/index.js';
export { type Delivery, type InlineOptions, inline } from '../delivery/index.js';
export type { ClosedBy, Conversation, ConversationState, TranscriptItem, User } from '../events/index.js';
export {
  type AdmitContext,
  type AdmitGate,
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
  type Receipt,
  type ReplyOptions,
  Unrecoverable,
} from '../events/index.js';
export type { ConversationFilter } from '../handoff/index.js';
export { createLog, type LogOptions } from '../internal/create-log.js';
export { HandoffKitError, type Log } from '../internal/index.js';
export { ValidationError } from '../protocol/index.js';
export type { Conversations } from '../receiver/index.js';
export {
  type AuthChoice,
  type AuthFunction,
  type AuthRequest,
  type AuthScheme,
  type BotOptions,
  basic,
  bearer,
  type CommonReceiverOptions,
  createReceiver,
  type GreetingContext,
  type HandoffAnswers,
  noAuth,
  pathToken,
  type Receiver,
  type ReceiverOptions,
  type SeveralBotsOptions,
  webhookUser,
} from '../receiver/index.js';
export type { RecordOptions } from '../recording/index.js';
