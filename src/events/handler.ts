import type { Log } from '../internal/index.js';
import type { AudioClip } from '../protocol/index.js';
import type { DeliveredName, EventName, EventPayloads } from './catalog.js';
import type { EndOptions, Receipt, ReplyOptions } from './replies.js';
import type { TranscriptItem } from './transcript.js';
import type { User } from './user.js';

/** What every handler gets. */
export interface BaseContext<Name extends EventName> {
  /** The event's name; narrows the rest. */
  readonly event: Name;
  /** The body, with the wire's own field names, in one normalised shape. */
  readonly payload: EventPayloads[Name];
  /** When the request arrived. */
  readonly receivedAt: Date;
  /** The request's id, as in the answer's `X-Request-Id`. */
  readonly requestId: string;
  /** A logger whose lines carry the event, the conversation and the request. Text is hidden in it. */
  readonly log: Log;
}

/** What a handler of a delivered event gets besides. */
export interface DeliveredContext<Name extends DeliveredName> extends BaseContext<Name> {
  /** The conversation. A handoff has an id of its own, which is not the id of the agent's conversation. */
  readonly conversationId: string;
  /** When the service says it happened, or `null` when it does not say. */
  readonly sentAt: Date | null;
  /** 1 the first time, more when the event is handled again after a failure; a postponement adds nothing. */
  readonly attempt: number;
  /** Aborts when nobody waits for the handler any more: it took too long, or the process is going down. */
  readonly signal: AbortSignal;
}

/** The two ways to act on a handed-over conversation. */
export interface ConversationActions {
  /** Says something to the user. Several replies to one conversation arrive in the order they were made. */
  readonly reply: (text: string, options?: ReplyOptions) => Promise<Receipt>;
  /** Ends the handoff; the user gets no human's words any more unless they ask again. */
  readonly end: (options?: EndOptions) => Promise<Receipt>;
}

/** The argument of a handler of `message`. */
export interface MessageContext extends DeliveredContext<'message'> {
  /** All text of the answer, joined. */
  readonly text: string;
  /** All speech of the answer. */
  readonly audio: readonly AudioClip[];
}

/** The argument of a handler of `handoff.requested`, and of the `admit` gate but for what acts. */
export interface HandoffRequestedContext extends DeliveredContext<'handoff.requested'>, ConversationActions {
  /** Who is handed over. */
  readonly user: User;
  /** What was said before. */
  readonly transcript: readonly TranscriptItem[];
  /** Until then a first reply must have reached the service, else it ends the handoff. */
  readonly replyBy: Date;
}

/** The argument of a handler of `handoff.message`. */
export interface HandoffMessageContext extends DeliveredContext<'handoff.message'>, ConversationActions {}

/** The argument of a handler of `handoff.closed`. */
export interface HandoffClosedContext extends DeliveredContext<'handoff.closed'> {}

/** The argument of an observer of `probe`: nothing that acts. */
export interface ProbeContext extends BaseContext<'probe'> {}

/** The argument of each event's handlers. */
export interface HandlerContexts {
  message: MessageContext;
  'handoff.requested': HandoffRequestedContext;
  'handoff.message': HandoffMessageContext;
  'handoff.closed': HandoffClosedContext;
  probe: ProbeContext;
}

/** Handles one kind of event. What it returns is awaited and otherwise ignored; what it throws is a failure. */
export type Handler<Name extends EventName> = (context: HandlerContexts[Name]) => unknown;
/** Handles every kind of event; narrow by `context.event`. */
export type AnyHandler = (context: HandlerContexts[EventName]) => unknown;

/** What is told when something failed. */
export interface FailureReport {
  /** What was thrown. */
  readonly error: unknown;
  /** During which event; `null` when it was not during one. */
  readonly event: EventName | null;
  /** In which conversation, where one is known. */
  readonly conversationId: string | null;
  /** The request's id, where there is one. */
  readonly requestId: string | null;
  /** Which attempt failed. */
  readonly attempt: number;
  /** A logger that carries all this. */
  readonly log: Log;
}

/** Hears of failures: of handlers, gates and greetings. */
export type ErrorHandler = (report: FailureReport) => unknown;

/** What the gate sees of a handoff request before it is accepted. */
export type AdmitContext = Omit<HandoffRequestedContext, keyof ConversationActions | 'attempt' | 'signal'>;

/** Lets a handoff in (`true`), or refuses it: `false`, or the reason that the service is told. */
export type AdmitGate = (context: AdmitContext) => boolean | string | Promise<boolean | string>;
