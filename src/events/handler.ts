import type { Log } from '../internal/index.js';
import type { AudioClip } from '../protocol/index.js';
import type { DeliveredEventName, EventName, EventPayloads } from './catalog.js';
import type { Conversation, TranscriptItem, User } from './conversation.js';
import type { Receipt } from './receipts.js';
import type { EndOptions, ReplyOptions } from './replies.js';

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
   * A logger whose lines have the event, conversation and request. If it is pino, as by default, it redacts the words
   * of users and agents.
   *
   * @example receiver.on('handoff.closed', ({ payload, log }) => log.info({ reason: payload.type }, 'user left'));
   */
  readonly log: Log;
}

/** The part that every event of a conversation has. */
export interface DeliveredContext<Name extends DeliveredEventName, State extends object = object>
  extends BaseContext<Name> {
  /**
   * The bot that the event is from, by its name in `createReceiver({ bots })`; `default` in a receiver with one.
   *
   * @example receiver.on('message', ({ bot, text }) => console.log(`${bot}: ${text}`));
   */
  readonly bot: string;
  /** The body as received, before normalising, with fields that the contract does not name. */
  readonly raw: unknown;
  /**
   * The event's idempotency key: the same on every attempt, and when the platform sends the same event again.
   *
   * @example receiver.on('message', async ({ key, text }) => { await crm.note(text, { key }); });
   */
  readonly key: string;
  /**
   * The conversation's id. A handoff has an id of its own, which differs from that of the bot's conversation. In a
   * receiver with several bots it is `<bot>/<the platform's id>`, except for the bot named `default`: two bots
   * may have conversations with the same id. `payload.conversation_id` is the platform's id.
   */
  readonly conversationId: string;
  /** The time of the event according to the platform, or `null`. */
  readonly sentAt: Date | null;
  /** The number of the attempt, from 1. Interrupted ones count, postponements do not. */
  readonly attempt: number;
  /**
   * Aborts when the handler took too long, the process is shutting down, or a reply was refused with `CLAIM_LOST`.
   *
   * @example receiver.on('message', async ({ signal, text }) => { await fetch(url, { method: 'POST', body: text, signal }); });
   */
  readonly signal: AbortSignal;
  /**
   * Makes sure that the event is still this process's to handle. Call it right before an effect in another system that
   * must not come from two processes. Rejects with the code `CLAIM_LOST` when another process has taken the event
   * over, because this one was paused for longer than its lease, and with the reason of `signal` once that has aborted.
   *
   * @example receiver.on('message', async ({ ensureClaimed, text }) => { await ensureClaimed(); await crm.note(text); });
   */
  readonly ensureClaimed: () => Promise<void>;
  /**
   * The application's own values for this run of the event's handlers, set by middleware. Type it with
   * `createReceiver<State>`.
   *
   * @example
   * const receiver = createReceiver<{ tenant: string }>({ auth, platform });
   * receiver.use(({ state, conversationId }, next) => {
   *   state.tenant = conversationId.slice(0, 4);
   *   return next();
   * });
   * receiver.on('message', ({ state, log }) => log.info({ tenant: state.tenant }, 'the bot answered'));
   */
  readonly state: State;
}

/** The part that every event of a handed-over conversation has. */
export interface HandoffContext<Name extends DeliveredEventName, State extends object = object>
  extends DeliveredContext<Name, State> {
  /** The user. The ids are `null` if this receiver does not know the conversation. */
  readonly user: User;
  /**
   * Looks up the conversation: state, transcript, agent; `null` if this receiver does not know it.
   *
   * @example
   * receiver.on('handoff.message', async ({ conversation, reply }) => {
   *   if ((await conversation())?.state === 'waiting') await reply('An agent will be with you soon.');
   * });
   */
  readonly conversation: () => Promise<Conversation | null>;
}

/** The two ways to act on a handed-over conversation. */
export interface ConversationActions {
  /**
   * Replies to the user. Replies to one conversation arrive in the order of the calls. When the handler runs again, a
   * reply with the same words, or with the same `once`, is not sent again. Rejects with the code `CLAIM_LOST` when
   * another process has taken the event over, because this one was paused for longer than its lease.
   *
   * @example receiver.on('handoff.message', async ({ text, reply }) => { await reply(`You said: ${text}`); });
   */
  readonly reply: (text: string, options?: ReplyOptions) => Promise<Receipt>;
  /**
   * Ends the handoff. The bot on the platform takes over again.
   *
   * @example receiver.on('handoff.message', async ({ text, end }) => { if (text === 'bye') await end(); });
   */
  readonly end: (options?: EndOptions) => Promise<Receipt>;
}

/** The argument of a handler of `message`. */
export interface MessageContext<State extends object = object> extends DeliveredContext<'message', State> {
  /** All text of the message, joined. */
  readonly text: string;
  /** All speech of the message. */
  readonly audio: readonly AudioClip[];
}

/** The argument of a handler of `handoff.requested`. */
export interface HandoffRequestedContext<State extends object = object>
  extends HandoffContext<'handoff.requested', State>,
    ConversationActions {
  /** The user's last message before the handoff; the last of an unknown author if none is the user's; or empty. */
  readonly text: string;
  /** The messages before the handoff, in order. */
  readonly transcript: readonly TranscriptItem[];
  /** The platform ends the handoff when it has no first reply by then. */
  readonly replyBy: Date;
}

/** The argument of a handler of `handoff.message`. */
export interface HandoffMessageContext<State extends object = object>
  extends HandoffContext<'handoff.message', State>,
    ConversationActions {
  /** The user's message. */
  readonly text: string;
}

/** The argument of a handler of `handoff.closed`. */
export interface HandoffClosedContext<State extends object = object>
  extends HandoffContext<'handoff.closed', State> {}

/** The argument of an observer of `probe`. */
export interface ProbeContext extends BaseContext<'probe'> {
  /** The bot that was tested; `null` if the probe had no credentials and came to an address that bots share. */
  readonly bot: string | null;
}

/** The argument of each event's handlers, by the event's name. */
export interface HandlerContexts<State extends object = object> {
  message: MessageContext<State>;
  'handoff.requested': HandoffRequestedContext<State>;
  'handoff.message': HandoffMessageContext<State>;
  'handoff.closed': HandoffClosedContext<State>;
  probe: ProbeContext;
}

/**
 * The argument of an event's handlers. The second parameter is the type of `state`, as in `createReceiver<State>`.
 *
 * @example
 * async function answer({ text, reply }: HandlerContext<'handoff.message'>): Promise<void> {
 *   await reply(`You said: ${text}`);
 * }
 * receiver.on('handoff.message', answer);
 */
export type HandlerContext<
  Name extends EventName = EventName,
  State extends object = object,
> = HandlerContexts<State>[Name];

/** Handles one kind of event. A returned promise is awaited; an error is a failure. */
export type Handler<Name extends EventName, State extends object = object> = (
  context: HandlerContexts<State>[Name],
) => unknown;

/** Handles every kind of event but probes, which `on('probe', …)` observes. */
export type AnyHandler<State extends object = object> = (
  context: HandlerContexts<State>[DeliveredEventName],
) => unknown;

/** The argument of an error handler. */
export interface FailureReport {
  /** The error that was thrown. */
  readonly error: unknown;
  /** The event that was being handled; `null` when there was none. */
  readonly event: EventName | null;
  /** The bot; `null` when the failure concerns none. */
  readonly bot: string | null;
  /** The conversation, or `null`. */
  readonly conversationId: string | null;
  /** The request's id, or `null`. */
  readonly requestId: string | null;
  /** The number of the attempt that failed. */
  readonly attempt: number;
  /** A logger whose lines have these fields. */
  readonly log: Log;
}

/** Called when a handler, middleware, gate or greeting fails. */
export type ErrorHandler = (report: FailureReport) => unknown;

/** The argument of a gate: a handoff request that is not yet accepted. */
export type AdmitContext = Omit<
  HandoffRequestedContext,
  keyof ConversationActions | 'attempt' | 'signal' | 'ensureClaimed' | 'conversation' | 'raw' | 'state'
>;

/** Accepts a handoff (`true`) or refuses it: `false`, or the reason for the platform. */
export type AdmitGate = (context: AdmitContext) => boolean | string | Promise<boolean | string>;
