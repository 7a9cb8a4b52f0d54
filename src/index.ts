/**
 * handoff-kit: the developer's side of a conversational-agent platform.
 *
 * @module
 */
export {
  type Acceptance,
  type Delivery,
  type DeliveryHost,
  type DeliveryStats,
  type InlineOptions,
  inline,
} from './delivery/index.js';
export type {
  Acting,
  AdmitContext,
  AdmitGate,
  AnyHandler,
  DeliveredEvent,
  DeliveredName,
  ErrorHandler,
  EventName,
  EventPayloads,
  FailureReport,
  Handler,
  HandlerContexts,
  HandoffClosedContext,
  HandoffMessageContext,
  HandoffRequestedContext,
  MessageContext,
  ProbeContext,
  ProbePayload,
  Receipt,
  ReplyOptions,
  Run,
  TranscriptItem,
  User,
} from './events/index.js';
export { createLog, type Log, type LogOptions } from './logging/index.js';
export { HandoffKitError, ValidationError } from './protocol/index.js';
export {
  type AuthChoice,
  type AuthFunction,
  type AuthRequest,
  type AuthScheme,
  basic,
  bearer,
  createReceiver,
  type EndpointPaths,
  type GreetingContext,
  type HandoffAnswers,
  type Listener,
  type Next,
  noAuth,
  pathToken,
  type Receiver,
  type ReceiverOptions,
  webhookUser,
} from './receiver/index.js';
export {
  createServiceClient,
  type ServiceClient,
  type ServiceClientOptions,
  ServiceError,
} from './service/index.js';
