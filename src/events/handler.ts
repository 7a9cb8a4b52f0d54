import type { Log } from '../internal/index.js';
import type { AudioClip } from '../protocol/index.js';
import type { DeliveredEventName, EventName, EventPayloads } from './catalog.js';
import type { Conversation } from './conversation.js';
import type { EndOptions, Receipt, ReplyOptions } from './replies.js';
import type { TranscriptItem } from './transcript.js';
import type { User } from './user.js';

/** The part of a handler's argument that every event has. */
export interface BaseContext<Name extends EventName> {
  /** The event's name. In `onAny`, checking it narrows the type of the rest. */
  readonly event: Name;
  /**
   * The body, with the wire's own field names, in one normalised shape: ids are strings, missing values are `null`.
   *
   * @example receiver.on('message', ({ payload }) => console.log(payload.message_id));
   */
  readonly payload: EventPayloads[Name];
  /** When the request arrived. */
  readonly receivedAt: Date;
  /** The request's id, as in the response header `X-Request-Id`. */
  readonly requestId: string;
  /**
   * A logger whose lines carry the event, the conversation and the request. It hides what people write.
   *
   * @example receiver.on('handoff.closed', ({ payload, log }) => log.info({ reason: payload.type }, 'user left'));
   */
  readonly log: Log;
}

/** The part that every event of a conversation has. */
export interface DeliveredContext<Name extends DeliveredEventName> extends BaseContext<Name> {
  /** The body as it was received, before it was normalised: fields that the contract does not know are in it. */
  readonly raw: unknown;
  /** The conversation's id. A handoff has an id of its own, which differs from that of the agent's conversation. */
  readonly conversationId: string;
  /** When the platform says it happened, or `null` when it does not say. */
  readonly sentAt: Date | null;
  /** 1 the first time, more when the event is handled again after a failure. A postponement does not count. */
  readonly attempt: number;
  /**
   * Aborts when the handler is no longer waited for: it took too long, or the process is shutting down.
   *
   * @example receiver.on('message', async ({ signal, text }) => { await fetch(url, { method: 'POST', body: text, signal }); });
   */
  readonly signal: AbortSignal;
}

/** The part that every event of a handed-over conversation has. */
export interface HandoffContext<Name extends DeliveredEventName> extends DeliveredContext<Name> {
  /** The user who was handed over. Their ids are `null` when the conversation is not known here. */
  readonly user: User;
  /**
   * The conversation as it stands now: its state, its transcript, who answers; `null` when it is not known here.
   *
   * @example
   * receiver.on('handoff.message', async ({ conversation, reply }) => {
   *   if ((await conversation())?.state === 'waiting') await reply('An agent will be with you soon.');
   * });
   */
  conversation(): Promise<Conversation | null>;
}

/** The two ways to act on a handed-over conversation. */
export interface ConversationActions {
  /**
   * Says something to the user. Replies to one conversation arrive in the order they were made.
   *
   * @example receiver.on('handoff.message', async ({ text, reply }) => { await reply(`You said: ${text}`); });
   */
  readonly reply: (text: string, options?: ReplyOptions) => Promise<Receipt>;
  /**
   * Ends the handoff. The agent on the platform takes over again.
   *
   * @example receiver.on('handoff.message', async ({ text, end }) => { if (text === 'bye') await end(); });
   */
  readonly end: (options?: EndOptions) => Promise<Receipt>;
}

/** The argument of a handler of `message`. */
export interface MessageContext extends DeliveredContext<'message'> {
  /** All text of the message, joined. */
  readonly text: string;
  /** All speech of the message. */
  readonly audio: readonly AudioClip[];
}

/** The argument of a handler of `handoff.requested`. */
export interface HandoffRequestedContext extends HandoffContext<'handoff.requested'>, ConversationActions {
  /** What the user said last before the handoff; empty when the platform does not tell. */
  readonly text: string;
  /** What user and agent said before the handoff, in order. */
  readonly transcript: readonly TranscriptItem[];
  /** The platform ends the handoff when it has no first reply by then. */
  readonly replyBy: Date;
}

/** The argument of a handler of `handoff.message`. */
export interface HandoffMessageContext extends HandoffContext<'handoff.message'>, ConversationActions {
  /** What the user says. */
  readonly text: string;
}

/** The argument of a handler of `handoff.closed`. */
export interface HandoffClosedContext extends HandoffContext<'handoff.closed'> {}

/** The argument of an observer of `probe`. */
export interface ProbeContext extends BaseContext<'probe'> {}

/** The argument of each event's handlers, by the event's name. */
export interface HandlerContexts {
  message: MessageContext;
  'handoff.requested': HandoffRequestedContext;
  'handoff.message': HandoffMessageContext;
  'handoff.closed': HandoffClosedContext;
  probe: ProbeContext;
}

/**
 * The argument of an event's handlers.
 *
 * @example
 * async function answer({ text, reply }: HandlerContext<'handoff.message'>): Promise<void> {
 *   await reply(`You said: ${text}`);
 * }
 * receiver.on('handoff.message', answer);
 */
export type HandlerContext<Name extends EventName = EventName> = HandlerContexts[Name];

/** Handles one kind of event. A returned promise is awaited; an error is a failure. */
export type Handler<Name extends EventName> = (context: HandlerContexts[Name]) => unknown;

/** Handles every kind of event. */
export type AnyHandler = (context: HandlerContexts[EventName]) => unknown;

/** What `onError` is told of a failure. */
export interface FailureReport {
  /** The error that was thrown. */
  readonly error: unknown;
  /** The event that was being handled; `null` when there was none. */
  readonly event: EventName | null;
  /** The conversation, where one is known. */
  readonly conversationId: string | null;
  /** The request's id, where there is one. */
  readonly requestId: string | null;
  /** The number of the attempt that failed. */
  readonly attempt: number;
  /** A logger whose lines carry all this. */
  readonly log: Log;
}

/** Called when a handler, gate or greeting fails. */
export type ErrorHandler = (report: FailureReport) => unknown;

/** What a gate sees of a handoff request before it is accepted. */
export type AdmitContext = Omit<
  HandoffRequestedContext,
  keyof ConversationActions | 'attempt' | 'signal' | 'conversation' | 'raw'
>;

/** Accepts a handoff (`true`) or refuses it: `false`, or the reason that the platform is told. */
export type AdmitGate = (context: AdmitContext) => boolean | string | Promise<boolean | string>;
