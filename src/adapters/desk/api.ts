/**
 * What the desk's page and its server say to each other. Types only: both sides import them.
 *
 * @module
 */

/** Who works at the desk. */
export interface AgentView {
  readonly id: string;
  /** What other agents see, and the user where names are shown. */
  readonly name: string;
}

/** Where a conversation stands at the desk. */
export type DeskState = 'waiting' | 'active' | 'closed';

/** Who ended a conversation. */
export type DeskEnder = 'user' | 'timeout' | 'agent' | 'kit';

/** What the service told of the user. An e-mail address may be a placeholder that many share. */
export interface DeskUser {
  readonly key: string;
  readonly userId: string | null;
  readonly anonymousId: string | null;
  readonly email: string | null;
  readonly phone: string | null;
}

/** A conversation as lists show it. Times are in milliseconds. */
export interface Summary {
  /** The desk's own id of it. */
  readonly id: string;
  /** The service's id of the handoff. */
  readonly conversationId: string;
  readonly state: DeskState;
  readonly user: DeskUser;
  /** Who has it, or `null`. */
  readonly agent: string | null;
  readonly requestedAt: number;
  /** Until then something must have been said to the user, else the service ends the handoff; `null` where it was. */
  readonly replyBy: number | null;
  readonly firstReplyAt: number | null;
  readonly ended: { readonly by: DeskEnder; readonly at: number; readonly agent: string | null } | null;
  /** The last thing that customer or agent said, cut short. */
  readonly last: { readonly from: 'customer' | 'agent'; readonly text: string; readonly at: number } | null;
  /** How many messages of the customer there are; less what an agent has read, that is unread. */
  readonly customerMessages: number;
  /** How many of them each agent has read. */
  readonly read: Readonly<Record<string, number>>;
  readonly version: number;
}

/** One thing said before the handoff. */
export interface TranscriptLine {
  readonly from: 'user' | 'agent' | 'other';
  readonly text: string;
}

/** What became of a reply. */
export type DeliveryState = 'storing' | 'stored' | 'sent' | 'failed';

/** What happened in a conversation. */
export type Happening =
  | { readonly type: 'opened' }
  | { readonly type: 'message'; readonly messageId: string; readonly from: 'customer'; readonly text: string }
  | {
      readonly type: 'message';
      readonly messageId: string;
      readonly from: 'agent';
      readonly agent: string;
      readonly text: string;
    }
  | { readonly type: 'note'; readonly agent: string; readonly text: string }
  | { readonly type: 'claimed' | 'released'; readonly agent: string }
  | { readonly type: 'transferred'; readonly agent: string; readonly to: string }
  | { readonly type: 'closed'; readonly by: DeskEnder; readonly agent: string | null }
  | {
      readonly type: 'delivery';
      readonly messageId: string;
      readonly state: DeliveryState;
      /** Why it failed, in words for agents. */
      readonly reason: string | null;
      /** The same as a stable code, for a page that speaks another language. Older entries have none. */
      readonly code?: string | null;
    }
  | { readonly type: 'read'; readonly agent: string };

/** An entry of the desk's journal, as it comes live and when a conversation is opened. */
export interface JournalEntry {
  /** Grows; resume after the last one seen. */
  readonly seq: number;
  readonly at: number;
  /** The conversation as it was after this. */
  readonly summary: Summary;
  readonly happening: Happening;
}

/** `GET api/state`: everything the page needs to begin. */
export interface StateView {
  readonly me: AgentView;
  /** Sent with every change, as the header `x-desk-token`. */
  readonly token: string;
  readonly agents: readonly AgentView[];
  /** All that wait or are active, and the last closed ones. */
  readonly conversations: readonly Summary[];
  readonly counts: Readonly<Record<DeskState, number>>;
  readonly canned: readonly CannedReply[];
  /** Live events after this one complete the picture. */
  readonly seq: number;
  /** The server's clock, so that times left can be shown right. */
  readonly now: number;
  /** Whether replies survive an outage of the service. */
  readonly durable: boolean;
  /** Whether answers can be taught to the AI agent. */
  readonly canTeach: boolean;
}

/** `GET api/conversations/:id`. */
export interface ConversationView {
  readonly summary: Summary;
  readonly botId: string | null;
  readonly transcript: readonly TranscriptLine[];
  /** The last entries, the oldest first. */
  readonly entries: readonly JournalEntry[];
  /** Whether there are earlier ones: `GET api/conversations/:id/entries?before=<seq>`. */
  readonly more: boolean;
}

/** `GET api/conversations?state=&search=&before=`: a page of a list. `before` is the last one's `requestedAt`. */
export interface ListView {
  readonly conversations: readonly Summary[];
  readonly more: boolean;
}

/** A reply kept for later use. `{user}`, `{agent}` and `{conversation}` in it are filled in. */
export interface CannedReply {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

/** What a `POST api/conversations/:id/<action>` takes, by action. */
export interface Actions {
  claim: Record<string, never>;
  release: Record<string, never>;
  transfer: { readonly to: string };
  /** `messageId` is made by the page, so that a reply that is sent again after a lost answer is one reply. */
  reply: { readonly messageId: string; readonly text: string };
  /** Sends a failed reply again. */
  retry: { readonly messageId: string };
  note: { readonly text: string };
  close: Record<string, never>;
  read: { readonly customerMessages: number };
}

/** The name of an action on a conversation. */
export type ActionName = keyof Actions;

/** `GET api/dashboard`. */
export interface DashboardView {
  readonly waiting: number;
  readonly active: number;
  /** Since midnight of the server's day. */
  readonly handledToday: number;
  /** Ended before anybody said anything, today. */
  readonly missedToday: number;
  /** Milliseconds from the request to the first reply, of today's: the middle one and the ninetieth of a hundred. */
  readonly firstReply: { readonly p50: number | null; readonly p90: number | null };
  /** The last 24 hours, one entry an hour, the oldest first. */
  readonly hours: readonly HourView[];
  readonly agents: readonly {
    readonly agent: string;
    readonly active: number;
    readonly handledToday: number;
  }[];
  readonly dead: readonly DeadView[];
}

/** One hour of the dashboard. */
export interface HourView {
  readonly at: number;
  readonly requested: number;
  readonly handled: number;
  readonly missed: number;
  /** The middle first-reply time, in milliseconds, or `null`. */
  readonly firstReplyMs: number | null;
}

/** Something parked that a person must decide on. */
export interface DeadView {
  readonly queue: 'inbox' | 'outbox';
  readonly id: string;
  readonly conversationId: string;
  /** The event's name, or `reply` or `close`. */
  readonly what: string;
  readonly attempts: number;
  readonly error: string | null;
  readonly createdAt: number;
}

/** `GET api/dead/:queue/:id`: with its content. */
export interface DeadDetails extends DeadView {
  readonly content: unknown;
}

/** A question and its answer, as the AI agent is taught them. */
export interface QaPair {
  readonly question: string;
  readonly answer: string;
}

/** `GET api/teach`: what was taught so far, and what would be sent. */
export interface TeachView {
  /** The document that holds them, once there is one. */
  readonly document: { readonly id: string; readonly name: string } | null;
  readonly pairs: readonly QaPair[];
}

/** `POST api/teach`: the new pair. The answer is the {@link TeachView} after it. */
export interface TeachRequest extends QaPair {
  /** The number of pairs that the agent saw: a list that has changed since is not overwritten unseen. */
  readonly seen: number;
}

/** Every refusal. */
export interface Refusal {
  readonly code: string;
  /** For the agent to read. */
  readonly message: string;
}
