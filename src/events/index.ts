/**
 * Event names, handler contexts, the registry of handlers, and the dispatcher that calls them.
 *
 * @module
 */

export {
  type DeliveredEvent,
  type DeliveredEventName,
  ENDPOINT_OF_EVENT,
  EVENT_OF_ENDPOINT,
  type EventName,
  type EventPayloads,
} from './catalog.js';
export type * from './conversation.js';
export { transcriptOf, userOf } from './conversation.js';
export {
  createDispatcher,
  type Dispatcher,
  type DispatcherOptions,
  type FailureDetails,
  type HandlerOutcome,
  NO_AGENT,
} from './dispatch.js';
export type * from './handler.js';
export { ClaimLost, type HandlerRun, Postponed, runOf, Unrecoverable } from './handler-run.js';
export {
  type BotDirectory,
  botField,
  botOfId,
  checkName,
  DEFAULT_BOT,
  eventKey,
  needsSession,
  severalBots,
  singleBot,
} from './identity.js';
export { deliveredReceipt, HeldReplies, isStillStored, type Receipt } from './receipts.js';
export type { Middleware, MiddlewareNext } from './registry.js';
export { createRegistry } from './registry.js';
export {
  checkReply,
  createDirectReplies,
  type EndOptions,
  isUnknownConversation,
  type Replies,
  type ReplyOptions,
  type TracedReply,
} from './replies.js';
