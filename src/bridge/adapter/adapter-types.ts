/**
 * Values that pass between the bridge and an adapter: first the arguments of the adapter's methods, then their
 * results.
 *
 * @module
 */
import type { Receipt, TranscriptItem, User } from '../../events/index.js';
import type { ClosedBy } from '../../handoff/index.js';
import { HandoffKitError, type Log } from '../../internal/index.js';

/** The last argument of every adapter method that talks to the helpdesk. */
export interface AdapterCall {
  /**
   * Aborts when the bridge no longer waits for the result: on a timeout, when it closes, or when another process has
   * taken the event over. Pass it to `fetch`.
   */
  readonly signal: AbortSignal;
  /** A logger that redacts secrets and message texts. */
  readonly log: Log;
}

/**
 * Where a handoff goes in the helpdesk, as the application decided. Each helpdesk applies what it knows.
 *
 * @example
 * const route: HandoffRoute = { tags: ['premium'], priority: 'high', department: 'Shipping' };
 */
export interface HandoffRoute {
  /** Labels, at most 20. */
  readonly tags?: readonly string[];
  readonly priority?: 'low' | 'normal' | 'high' | 'urgent';
  /** A department, team, group or queue, by the id or name that the README of the adapter tells. */
  readonly department?: string;
}

/** The conversation that `open` creates and `find` looks for. */
export interface HandoffSession {
  /** Idempotency key: the same on every attempt to open this conversation, and unique to it. */
  readonly key: string;
  /** The id of the conversation: the platform's, or `<bot>/<the platform's id>` where a receiver has several bots. */
  readonly conversationId: string;
  /** The bot that requested the handoff, by its name in `createReceiver`; `default` where there is one. */
  readonly bot: string;
  /** The user. Identify contacts by `user.key`: many users can share one placeholder e-mail address. */
  readonly user: User;
  /** The platform's id of that bot. */
  readonly botId: string | null;
  /**
   * The conversation before the handoff, oldest first. Of a long one the beginning, up to a half of `maxTextLength`: the
   * bridge sends the rest with `send`, before the first message of the user.
   */
  readonly transcript: readonly TranscriptItem[];
  /** The rest of a long transcript. For a summary; the bridge sends it. */
  readonly later?: readonly TranscriptItem[];
  readonly requestedAt: Date;
  /** The platform gives up when no reply has reached it by then. */
  readonly replyBy: Date;
  /** Given to `open` only. When the helpdesk refuses it, the bridge opens the conversation without. */
  readonly route?: HandoffRoute;
  /**
   * Given to `open` only: earlier conversations of the same user in this helpdesk, newest first, as far as they are
   * kept. For helpdesks in which they belong to a contact whose id the adapter keeps in `extra`.
   */
  readonly previous?: readonly Pick<OpenedConversation, 'externalId' | 'extra'>[];
}

/** The result of `open` and `find`. */
export interface OpenedConversation {
  /** The helpdesk's own id, as its webhooks name it. */
  readonly externalId: string;
  /** The page on which an agent sees the conversation. */
  readonly url?: string;
  /** Values the adapter needs back on each later call, such as the id of a contact. Stored with the conversation. */
  readonly extra?: Readonly<Record<string, string>>;
}

/** An open conversation, as `send` and `close` receive it. */
export interface ConversationRef {
  /** The id of the conversation, as in {@link HandoffSession}. */
  readonly conversationId: string;
  /** The bot that requested the handoff. */
  readonly bot: string;
  /** The helpdesk's id, as `open` returned it. */
  readonly externalId: string;
  readonly url: string | null;
  /** As `open` returned it. */
  readonly extra: Readonly<Record<string, string>>;
  readonly user: User;
}

/** A message of the user, as `send` receives it. */
export interface OutgoingMessage {
  /** Idempotency key: the same on every attempt to send this message, and unique to it. */
  readonly key: string;
  /** At most `capabilities.maxTextLength` characters. */
  readonly text: string;
  /** When the user wrote it, or `null` when the platform did not say. */
  readonly sentAt: Date | null;
}

/** The result of `send`. */
export interface SentMessage {
  /** The helpdesk's id of the message, or `null` when it has none. */
  readonly messageId: string | null;
}

/** Why the bridge closes a conversation. */
export interface CloseReason {
  /** The user left, the conversation timed out, or handoff-kit ended it. */
  readonly by: Exclude<ClosedBy, 'agent'>;
  /** One sentence for the agents. */
  readonly text: string;
}

/** A reply of an agent that the user does not get. */
export interface UndeliveredMessage {
  /** The helpdesk's id of the message, as in {@link InboundMessage}; `null` when it is not known any more. */
  readonly messageId: string | null;
  readonly text: string;
}

/** Why the user does not get a reply. */
export interface UndeliveredReason {
  /** `ended`: the conversation had ended. `failed`: the platform refused it, or did not answer for too long. */
  readonly kind: 'ended' | 'failed';
  /** One sentence for the agents. */
  readonly text: string;
}

/** One line of the result of `check`. */
export interface AdapterCheckResult {
  readonly name: string;
  readonly ok: boolean;
  /** The finding, or the remedy. Operators read it: no secrets. */
  readonly detail: string;
}

/** The result of `poll`. */
export interface PollResult {
  /** In the order in which they happened. */
  readonly events: readonly InboundEvent[];
  /** The position to poll from next. Stored by the bridge once all events are safe. */
  readonly cursor: string;
}

/**
 * Passes an event of a stream to the bridge. Once the promise has resolved, the event is safe. It resolves to the
 * receipt of the reply or close that was sent to the user, or to `null` when the event had no effect. Emitting the
 * same event again, for instance after a restart, has no second effect and resolves to the first receipt.
 */
export type EmitEvents = (event: InboundEvent) => Promise<Receipt | null>;

/** A webhook request of the helpdesk, as received. */
export interface InboundRequest {
  readonly method: string;
  /** Path below the mount point, with the query. */
  readonly url: string;
  /** Lower-case names. Repeated headers are joined with `, `. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The bytes as received: signatures are computed over them. */
  readonly body: Buffer;
  /** Time of arrival in milliseconds. Compare the age of a signature with this, not with the clock. */
  readonly receivedAt: number;
}

/**
 * The result of `verify`.
 *
 * - `genuine`: the signature is right and recent.
 * - `unsigned`: there is no signature.
 * - `forged`: the signature is wrong.
 * - `stale`: the signature is right and too old, as in a replayed request.
 */
export type SignatureVerdict = 'genuine' | 'unsigned' | 'forged' | 'stale';

/** The author of an event in the helpdesk. */
export interface MessageAuthor {
  /**
   * - `agent`: a human.
   * - `self`: the account this adapter writes with, which makes the event an echo.
   * - `user`: the user, through another channel than this adapter.
   * - `system`: the helpdesk's own automation.
   */
  readonly kind: 'agent' | 'self' | 'user' | 'system';
  /** The name to show to the user, or `null`. */
  readonly name: string | null;
  /** The helpdesk's id of an agent whose name the event does not tell. The bridge asks `agentName` for the name. */
  readonly id?: string;
}

interface InboundEventBase {
  /** Idempotency key: equal for repeated deliveries of one event, and unique to it within its conversation. */
  readonly id: string;
  /** The helpdesk's id of the conversation, as `open` returned it. */
  readonly externalId: string;
  readonly author: MessageAuthor;
}

/** A file that belongs to a message in the helpdesk. */
export interface InboundAttachment {
  /** The name to show, such as `invoice.pdf`. */
  readonly name: string;
  /** The media type, such as `application/pdf`, or `null`. */
  readonly contentType: string | null;
  /** Where the user can open it; `null` when only agents can. */
  readonly url: string | null;
}

/** A message in the helpdesk. Report every message; the bridge decides which ones the user sees. */
export interface InboundMessage extends InboundEventBase {
  readonly kind: 'message';
  /** Plain text: no HTML and no markup that the user would see raw. */
  readonly text: string;
  /** `true` for a note among agents. The user never sees it. */
  readonly internal: boolean;
  /** The files of the message. The platform takes text only, so the user sees their names and links. */
  readonly attachments?: readonly InboundAttachment[];
  /** The helpdesk's id of the message, as `send` returns it; `null` when it has none. */
  readonly messageId: string | null;
  /**
   * For a helpdesk whose lists may name a message by another id than its webhooks: the same for both, such as a hash of
   * the text. A message that came one way is not taken again when it comes the other way.
   */
  readonly sameAs?: string;
}

/** An agent took the conversation. */
export interface InboundJoin extends InboundEventBase {
  readonly kind: 'joined';
}

/** The conversation was closed in the helpdesk. */
export interface InboundClose extends InboundEventBase {
  readonly kind: 'closed';
}

/** An event in the helpdesk. */
export type InboundEvent = InboundMessage | InboundJoin | InboundClose;

/** The result of `parse`. */
export interface ParsedWebhook {
  /** In the order in which they happened; empty when the request concerns no conversation. */
  readonly events: readonly InboundEvent[];
  /** Sent instead of an empty 200, for instance to answer a challenge. */
  readonly response?: { readonly contentType: string; readonly body: string };
}

/**
 * The kind of a helpdesk failure, which decides how the bridge continues.
 *
 * - `transient`: retried with backoff.
 * - `rate-limited`: retried after `retryAfterMs`.
 * - `auth`: credentials are wrong or lack a permission. Logged once, and retried rarely until an operator fixes it.
 * - `gone`: the conversation no longer exists. The conversation ends for the user.
 * - `invalid`: the helpdesk rejects the request and would reject it again. Not retried.
 */
export type AdapterErrorKind = 'transient' | 'rate-limited' | 'auth' | 'gone' | 'invalid';

const CODE = {
  transient: 'ADAPTER_TRANSIENT',
  'rate-limited': 'ADAPTER_RATE_LIMITED',
  auth: 'ADAPTER_AUTH',
  gone: 'ADAPTER_GONE',
  invalid: 'ADAPTER_INVALID',
} as const;

/** The codes of an {@link AdapterError}, one for each kind. */
export type AdapterErrorCode = (typeof CODE)[AdapterErrorKind];

/**
 * A failure of a helpdesk. Adapters throw nothing else.
 *
 * @example
 * throw new AdapterError('rate-limited', 'Our Desk allows no more messages.', { retryAfterMs: 30_000 });
 */
export class AdapterError extends HandoffKitError {
  declare readonly code: AdapterErrorCode;
  readonly kind: AdapterErrorKind;
  /** Whether a later attempt may succeed. */
  readonly retryable: boolean;
  /** How long the helpdesk asks to wait, or `null` when it does not say. */
  readonly retryAfterMs: number | null;
  /** The HTTP status of the helpdesk's answer, or `null` when there was none. */
  readonly status: number | null;

  /** Operators read the message: it must hold no secrets and no text of users. */
  constructor(
    kind: AdapterErrorKind,
    message: string,
    {
      retryAfterMs = null,
      status = null,
      ...options
    }: ErrorOptions & { readonly retryAfterMs?: number | null; readonly status?: number | null } = {},
  ) {
    super(CODE[kind], message, options);
    this.kind = kind;
    this.retryable = kind === 'transient' || kind === 'rate-limited';
    this.retryAfterMs = retryAfterMs;
    this.status = status;
  }
}

/** For `.catch`: turns a failure of one kind into `null`, and throws any other. */
export const nullIf =
  (kind: AdapterErrorKind) =>
  (error: unknown): null => {
    if (error instanceof AdapterError && error.kind === kind) return null;
    throw error;
  };
