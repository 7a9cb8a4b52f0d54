/**
 * Event names, handler contexts, the registry of handlers, and the dispatcher that calls them.
 *
 * @module
 */
export {
  type BotDirectory,
  botField,
  botOfId,
  checkName,
  DEFAULT_BOT,
  severalBots,
  singleBot,
} from './bots.js';
export {
  type DeliveredEvent,
  type DeliveredEventName,
  ENDPOINT_OF_EVENT,
  EVENT_OF_ENDPOINT,
  type EventName,
  type EventPayloads,
} from './catalog.js';
export type * from './conversation.js';
export {
  createDispatcher,
  type Dispatcher,
  type DispatcherOptions,
  type FailureDetails,
  type HandlerOutcome,
  NO_AGENT,
} from './dispatch.js';
export { eventKey, needsSession } from './event-key.js';
export type * from './handler.js';
export { ClaimLost, type HandlerRun, runOf } from './handler-run.js';
export type { Middleware, MiddlewareNext } from './middleware.js';
export { Postponed, Unrecoverable } from './postponed.js';
export { createRegistry } from './registry.js';
export {
  createDirectReplies,
  deliveredReceipt,
  type EndOptions,
  type Receipt,
  type Replies,
  type ReplyOptions,
  type TracedReply,
} from './replies.js';
export { type TranscriptItem, transcriptOf } from './transcript.js';
export { type User, userOf } from './user.js';
