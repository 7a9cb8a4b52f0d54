import type { Receipt, TranscriptItem, User } from '../events/index.js';
import type { ClosedBy } from '../handoff/index.js';
import type { Log } from '../internal/index.js';
import { checkAdapter } from './check-adapter.js';
import type { InboundEvent, InboundRequest, ParsedWebhook, SignatureVerdict } from './inbound.js';

/** So many in so long. */
export interface RateLimit {
  readonly count: number;
  readonly perMs: number;
}

/** What a human-service system can do and what it demands. The bridge makes up for what it cannot. */
export interface AdapterCapabilities {
  /** How its agents' words come to us. With several, the same event may come by each; it has effect once. */
  readonly inbound: readonly ('webhook' | 'poll' | 'stream')[];
  /** Whether the system itself knows that a conversation is closed. */
  readonly nativeClose: boolean;
  /** Whether `send` returns the ids under which our own messages come back. */
  readonly messageIds: boolean;
  /** The longest message, in characters as JavaScript counts them. Longer ones are split. */
  readonly maxTextLength: number;
  /** How fast it may be written to. */
  readonly rate?: {
    /** All conversations together. */
    readonly overall?: RateLimit;
    /** Each conversation. Messages that come faster are joined into one. */
    readonly perConversation?: RateLimit;
  };
  /**
   * Whether the stream of each process tells only what happens in that process, so that all of them must listen.
   * Default `false`: one listens, the others stand by.
   */
  readonly streamsPerProcess?: boolean;
  /** How often to `poll`. Default 5 seconds. */
  readonly pollEveryMs?: number;
}

/** What every call to an adapter comes with. */
export interface AdapterCall {
  /** Aborts when nobody waits for the outcome any more. */
  readonly signal: AbortSignal;
  /** Hides secrets and what people write. */
  readonly log: Log;
}

/** A conversation that is to be brought to a human. */
export interface HandoffSession {
  /** The same for each try to open this conversation, and for no other: what `find` looks for. */
  readonly key: string;
  /** The service's id of the handoff. */
  readonly conversationId: string;
  /** The user; key contacts by `user.key`, never by e-mail. */
  readonly user: User;
  /** The agent that hands over. */
  readonly botId: string | null;
  /** What was said before. */
  readonly transcript: readonly TranscriptItem[];
  readonly requestedAt: Date;
  /** Until then a first reply must have reached the service. */
  readonly replyBy: Date;
}

/** A conversation that was opened. */
export interface OpenedConversation {
  /** The system's own id, as its webhooks name it. */
  readonly externalId: string;
  /** Where a human can look at it. */
  readonly url?: string;
  /** What the adapter wants back with each call, such as the id of a contact. */
  readonly extra?: Readonly<Record<string, string>>;
}

/** An open conversation, as `send` and `close` get it. */
export interface ConversationRef {
  readonly conversationId: string;
  readonly externalId: string;
  readonly url: string | null;
  readonly extra: Readonly<Record<string, string>>;
  readonly user: User;
}

/** What the user says. */
export interface OutgoingMessage {
  /** The same for each try to send this message, and for no other: for systems that tell repeats. */
  readonly key: string;
  readonly text: string;
  /** When the user said it, or `null`. */
  readonly sentAt: Date | null;
}

/** A message that was sent. */
export interface SentMessage {
  /** The system's own id of it, where it has one. */
  readonly messageId: string | null;
}

/** Why a conversation ends. */
export interface CloseReason {
  readonly by: Exclude<ClosedBy, 'agent'>;
  /** In plain words, for the agents to read. */
  readonly text: string;
}

/** One thing that `check` looked at. */
export interface AdapterCheckResult {
  readonly name: string;
  readonly ok: boolean;
  /** What was found, or what to do about it. No secrets. */
  readonly detail: string;
}

/** What happened since, and where to read on. */
export interface PollResult {
  readonly events: readonly InboundEvent[];
  readonly cursor: string;
}

/**
 * Takes an event of a stream. It is safe once the promise has resolved: to the receipt of what went on to the user,
 * or to `null` where nothing did. An event emitted again, as after a restart, has no second effect and gives the
 * receipt of the first.
 */
export type EmitEvents = (event: InboundEvent) => Promise<Receipt | null>;

/** Carries handed-over conversations into one human-service system. Every failure is an `AdapterError`. */
export interface Adapter {
  /** Short and lower-case: it names settings, paths and log lines. */
  readonly name: string;
  readonly capabilities: AdapterCapabilities;
  /** Brings a conversation to the agents, with who the user is and what was said before. */
  open(session: HandoffSession, call: AdapterCall): Promise<OpenedConversation>;
  /** Looks for what an earlier `open` of the same session made, whose answer was lost. */
  find(session: HandoffSession, call: AdapterCall): Promise<OpenedConversation | null>;
  /** Shows the agents what the user says. */
  send(ref: ConversationRef, message: OutgoingMessage, call: AdapterCall): Promise<SentMessage>;
  /** Ends a conversation for the agents. One that has ended already is a success. */
  close(ref: ConversationRef, reason: CloseReason, call: AdapterCall): Promise<void>;
  /** Whether a request is from the system. Pure: no network, no clock. Must look at all that `parse` reads. */
  verify?(request: InboundRequest): SignatureVerdict;
  /** What a genuine request says. Pure. Throws an `AdapterError` of kind `invalid` for what it cannot read. */
  parse?(request: InboundRequest): ParsedWebhook;
  /** What happened since `cursor`; from now on when it is `null`. */
  poll?(cursor: string | null, call: AdapterCall): Promise<PollResult>;
  /** Hears of events until the signal aborts. */
  stream?(emit: EmitEvents, call: AdapterCall): Promise<void>;
  /** Looks whether everything is set up: address, credentials, rights, secret. */
  check(call: AdapterCall): Promise<readonly AdapterCheckResult[]>;
  /** Lets go of connections and timers. */
  dispose?(): Promise<void>;
}

/**
 * Gives an adapter its types, and refuses one whose parts do not fit together.
 *
 * @example
 * export const ourDesk = (settings: Settings) => defineAdapter({ name: 'our-desk', … });
 */
export function defineAdapter<Defined extends Adapter>(adapter: Defined): Defined {
  checkAdapter(adapter);
  return adapter;
}
