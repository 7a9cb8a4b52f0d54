/**
 * The API between the desk's page and its server. Types only: both sides import them. Times are in milliseconds.
 *
 * @module
 */
import type { AgentRole, Permission } from './server/agents/roles.js';

export type { Permission };

/** An agent who works at the desk. */
export interface AgentView {
  readonly id: string;
  /** Shown to other agents, and to the user where agents' names are shown. */
  readonly name: string;
  /** What the agent may do. */
  readonly role: AgentRole;
}

/** The state of a conversation: `waiting` without an agent, `active` with one. */
export type ConversationStatus = 'waiting' | 'active' | 'closed';

/** The side that closed a conversation; `system` is the receiver itself. */
export type ClosedBy = 'user' | 'timeout' | 'agent' | 'system';

/** How soon a conversation needs an answer. */
export type Priority = 'low' | 'normal' | 'high' | 'urgent';

/** The customer, as the platform describes them. Many customers may share a placeholder e-mail address. */
export interface CustomerView {
  readonly key: string;
  readonly userId: string | null;
  readonly anonymousId: string | null;
  readonly email: string | null;
  readonly phone: string | null;
}

/** A conversation in a list. */
export interface ConversationSummary {
  /** The desk's own id of the conversation. */
  readonly id: string;
  /** The receiver's id of the conversation. */
  readonly conversationId: string;
  /** The bot that requested the handoff, by its name in the receiver; `default` if there is only one. */
  readonly bot: string;
  readonly state: ConversationStatus;
  readonly user: CustomerView;
  /** The id of the agent it is assigned to, or `null`. */
  readonly agent: string | null;
  /** The id of the team it is for, or `null`. */
  readonly team: string | null;
  /** Set while a rule has assigned it and its agent has not replied yet: when the agent leaves, another gets it. */
  readonly offer: string | null;
  readonly requestedAt: number;
  /** The platform ends the handoff unless the user got a reply by then; `null` when the user got an automatic one. */
  readonly replyBy: number | null;
  /** When the platform had the first reply. */
  readonly firstReplyAt: number | null;
  readonly ended: { readonly by: ClosedBy; readonly at: number; readonly agent: string | null } | null;
  /** The start of the last message of the customer or an agent; at first, the customer's last words to the bot. */
  readonly last: { readonly from: 'customer' | 'agent'; readonly text: string; readonly at: number } | null;
  /** Sorted. */
  readonly tags: readonly string[];
  readonly priority: Priority;
  /** Not listed until then, or until the customer writes. */
  readonly snoozedUntil: number | null;
  /** The notes that mention each agent, by agent id: how many, and how many of them the agent has read. */
  readonly mentions: Readonly<Record<string, { readonly count: number; readonly read: number }>>;
  /** The number of messages from the customer. */
  readonly customerMessages: number;
  /** The number of them that each agent has read, by agent id. */
  readonly read: Readonly<Record<string, number>>;
  readonly version: number;
}

/** A message from before the handoff. */
export interface TranscriptLine {
  readonly from: 'user' | 'bot' | 'other';
  readonly text: string;
}

/** The delivery state of a reply. */
export type DeliveryState = 'storing' | 'stored' | 'sent' | 'failed';

/** An event in a conversation. */
export type ConversationEvent =
  | { readonly type: 'opened' }
  | { readonly type: 'message'; readonly messageId: string; readonly from: 'customer'; readonly text: string }
  | {
      readonly type: 'message';
      readonly messageId: string;
      readonly from: 'agent';
      readonly agent: string;
      readonly text: string;
    }
  | {
      readonly type: 'note';
      readonly messageId: string;
      readonly agent: string;
      readonly text: string;
      /** The ids of the agents it mentions, by name or by team. */
      readonly mentions?: readonly string[];
    }
  | { readonly type: 'claimed' | 'released'; readonly agent: string }
  /** By the rules: to an agent, and back because the agent is no longer available. */
  | { readonly type: 'assigned' | 'unassigned'; readonly agent: string }
  | { readonly type: 'transferred'; readonly agent: string; readonly to: string }
  /** To a team, by its name at that time. */
  | { readonly type: 'passed'; readonly agent: string; readonly team: string; readonly name: string }
  | {
      readonly type: 'tagged';
      readonly agent: string;
      readonly added: readonly string[];
      readonly removed: readonly string[];
    }
  | { readonly type: 'prioritised'; readonly agent: string; readonly priority: Priority }
  | { readonly type: 'snoozed'; readonly agent: string; readonly until: number | null }
  | { readonly type: 'closed'; readonly by: ClosedBy; readonly agent: string | null }
  | {
      readonly type: 'delivery';
      readonly messageId: string;
      readonly state: DeliveryState;
      /** The reason of a failure, in English. */
      readonly reason: string | null;
      /** A stable code for the reason, which the page translates. */
      readonly code: string | null;
    }
  | { readonly type: 'read'; readonly agent: string };

/** An event in a conversation, with the conversation after it. Sent live and when a conversation is opened. */
export interface ConversationUpdate {
  /** Grows with every update. A page that reconnects asks for updates after the last one it has. */
  readonly seq: number;
  readonly at: number;
  readonly summary: ConversationSummary;
  readonly event: ConversationEvent;
}

/** Whether replies reach the platform. */
export interface PlatformStatus {
  /** Replies and closes that wait because the platform did not accept one; 0 while it does. */
  readonly delayed: number;
  /** Whether the platform refuses the API key or has moved, so that sending is paused. */
  readonly isRefused: boolean;
}

/** An agent who is viewing a conversation. Set by `POST api/presence`. */
export interface PresenceView {
  readonly agent: string;
  /** `null`: at none. */
  readonly conversation: string | null;
  readonly isTyping: boolean;
}

/** An agent who has the desk open. `PUT api/availability` sets whether they are away. */
export interface AvailabilityView {
  readonly agent: string;
  /** Rules assign them no conversations. */
  readonly isAway: boolean;
}

/** Transient state. Sent to a page when it connects, and with every change. */
export interface DeskSignal {
  readonly platform: PlatformStatus;
  /** The agents who have a conversation open. */
  readonly presence: readonly PresenceView[];
  /** The agents who have the desk open. */
  readonly availability: readonly AvailabilityView[];
}

/** `GET api/state`: everything the page needs at the start. */
export interface StateView {
  readonly me: AgentView;
  /** What the agent may do, so that the page hides the rest. The server checks it regardless. */
  readonly may: readonly Permission[];
  /** Sent with every change, in the header `x-desk-token`. */
  readonly token: string;
  readonly agents: readonly AgentView[];
  readonly teams: readonly TeamView[];
  /** The names of the bots. With more than one, conversations show theirs and can be filtered by it. */
  readonly bots: readonly string[];
  /** The latest open conversations and closed ones, and the latest ones with a note that mentions the agent. */
  readonly conversations: readonly ConversationSummary[];
  /** The open conversations that are not in it: the page asks for them after the last one that is. */
  readonly more: readonly {
    readonly state: ConversationStatus;
    readonly after: Pick<ConversationSummary, 'requestedAt' | 'id'>;
  }[];
  readonly counts: Readonly<Record<ConversationStatus, number>>;
  readonly canned: CannedList;
  /** The agent's own. */
  readonly filters: readonly SavedFilter[];
  /** Live updates continue after this number. */
  readonly seq: number;
  /** The server's clock, for deadlines. */
  readonly now: number;
  /** Whether replies survive an outage of the platform. */
  readonly durable: boolean;
  /** Whether the receiver has the address of a platform and an API key for it. */
  readonly hasPlatform: boolean;
  /** Whether this agent can teach the bot. */
  readonly canTeach: boolean;
  /** Whether there is an assistant. */
  readonly canAssist: boolean;
  /** After how many milliseconds without activity the agent is logged out. */
  readonly idleMs: number;
}

/** `GET api/conversations/:id`. */
export interface ConversationView {
  readonly summary: ConversationSummary;
  readonly botId: string | null;
  readonly transcript: readonly TranscriptLine[];
  /** The latest updates, oldest first. */
  readonly entries: readonly ConversationUpdate[];
  /** Whether there are earlier ones: `GET api/conversations/:id/entries?before=<seq>`. */
  readonly more: boolean;
}

/**
 * `GET api/conversations?state=&search=&before=&beforeId=`: a page of a list. `before` and `beforeId` are the `requestedAt`
 * and the `id` of the last item. A search without a state looks through ids, e-mail addresses, phone numbers and the latest messages.
 */
export interface ConversationListView {
  /** Where a search found its text in a message: the part around it, by id of the conversation. */
  readonly snippets?: Readonly<Record<string, string>>;
  readonly conversations: readonly ConversationSummary[];
  readonly more: boolean;
}

/** An attribute of a customer that the application knows. Shown as text. */
export interface CustomerAttribute {
  readonly name: string;
  readonly value: string;
}

/** `GET api/conversations/:id/customer`: more details about a conversation's customer. */
export interface CustomerDetailsView {
  /** Other conversations of the same customer, newest first. */
  readonly history: readonly ConversationSummary[];
  /** From the application; `null` when it failed or took too long. */
  readonly attributes: readonly CustomerAttribute[] | null;
}

/** A saved selection of conversations. Parts that are `null` select everything. */
export interface SavedFilter {
  readonly id: string;
  readonly name: string;
  readonly view: InboxViewName;
  readonly bot: string | null;
  readonly tag: string | null;
  readonly priority: Priority | null;
}

/** The views of the inbox. */
export type InboxViewName = 'mine' | 'teams' | 'mentions' | 'unassigned' | 'all' | 'closed';

/** A reply template. `{user}`, `{agent}` and `{conversation}` are filled in. */
export interface CannedReply {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

/** The canned replies. The version tells whether another agent has changed them. */
export interface CannedList {
  readonly replies: readonly CannedReply[];
  readonly version: number;
}

/** The bodies of `POST api/conversations/:id/<action>`, by action. */
export interface ActionInputs {
  claim: Record<string, never>;
  release: Record<string, never>;
  transfer: { readonly to: string };
  /** Transfers it to a team, whose agents claim it. */
  pass: { readonly team: string };
  /** The page makes `messageId`, so that a repeated request stays one reply or note. */
  reply: { readonly messageId: string; readonly text: string };
  /** Sends a failed reply again. */
  retry: { readonly messageId: string };
  note: { readonly messageId: string; readonly text: string };
  tag: { readonly add: readonly string[]; readonly remove: readonly string[] };
  priority: { readonly priority: Priority };
  /** `null` ends it. */
  snooze: { readonly until: number | null };
  close: Record<string, never>;
  /** Up to which customer message and which mention of the agent. */
  read: { readonly customerMessages: number; readonly mentions?: number | undefined };
}

/** The name of an action on a conversation. */
export type ActionName = keyof ActionInputs;

/** The name of an action that is possible on several conversations at once. */
export type BulkAction = 'claim' | 'transfer' | 'pass' | 'tag' | 'snooze' | 'close';

/** `POST api/bulk`: one action on up to a hundred conversations. */
export interface BulkRequest<Name extends BulkAction = BulkAction> {
  readonly ids: readonly string[];
  readonly action: Name;
  readonly input: ActionInputs[Name];
}

/** A conversation on which the action failed. */
export interface BulkFailure extends ErrorBody {
  readonly id: string;
}

/** The answer to {@link BulkRequest}. */
export interface BulkResult {
  /** The ids of the conversations on which it succeeded. */
  readonly done: readonly string[];
  readonly failed: readonly BulkFailure[];
}

/** `GET api/dashboard`. */
export interface DashboardView {
  /** The desk's time zone, such as `Europe/Berlin`. */
  readonly timeZone: string;
  readonly waiting: number;
  readonly active: number;
  /** Since midnight in the desk's time zone. */
  readonly handledToday: number;
  /** Closed without any reply, since midnight. */
  readonly missedToday: number;
  /** Time from the request to the first reply since midnight: median and 90th percentile. */
  readonly firstReply: { readonly p50: number | null; readonly p90: number | null };
  /** The last 24 hours, oldest first. */
  readonly hours: readonly DashboardHour[];
  readonly agents: readonly {
    readonly agent: string;
    readonly active: number;
    readonly handledToday: number;
  }[];
  readonly dead: readonly DeadLetterView[];
}

/** One hour of the dashboard. */
export interface DashboardHour {
  readonly at: number;
  readonly requested: number;
  readonly handled: number;
  readonly missed: number;
  /** The median time to the first reply, or `null`. */
  readonly firstReplyMs: number | null;
}

/** Numbers of conversations. Times in milliseconds; `null` without any conversation to measure. */
export interface ReportNumbers {
  readonly requested: number;
  /** Ended with a reply. */
  readonly handled: number;
  /** Ended without any. */
  readonly missed: number;
  /** From the request to the first reply. */
  readonly firstReply: { readonly p50: number | null; readonly p90: number | null };
  /** From the request to the end, of those handled. */
  readonly handling: { readonly p50: number | null; readonly p90: number | null };
}

/**
 * `GET api/report?from=&to=`: conversations requested in a range of days, such as `2026-03-02`, in the desk's time zone.
 * `GET api/report.csv?from=&to=` has them one by one.
 */
export interface ReportView extends ReportNumbers {
  readonly from: string;
  readonly to: string;
  readonly timeZone: string;
  /** Oldest first. */
  readonly days: readonly (ReportNumbers & { readonly day: string })[];
  /** By the agent they were assigned to last. */
  readonly agents: readonly (ReportNumbers & { readonly agent: string })[];
  /** Failed deliveries in the range. */
  readonly deadLetters: number;
}

/** An event or reply that failed after all retries. */
export interface DeadLetterView {
  readonly queue: 'inbox' | 'outbox';
  readonly id: string;
  readonly conversationId: string;
  /** The name of the event, or `reply` or `close`. */
  readonly what: string;
  readonly attempts: number;
  readonly error: string | null;
  readonly createdAt: number;
}

/** `GET api/dead/:queue/:id`: a dead letter with its content. */
export interface DeadLetterDetails extends DeadLetterView {
  readonly content: unknown;
}

/** A question and its answer, to teach to the bot. */
export interface QaPair {
  readonly question: string;
  readonly answer: string;
}

/** `GET api/teach?bot=<name>`: the pairs that the bot was taught. */
export interface TeachView {
  /** The knowledge document at the platform, once there is one. */
  readonly document: { readonly id: string; readonly name: string } | null;
  readonly pairs: readonly QaPair[];
}

/** `POST api/teach`: a new pair. The answer is the {@link TeachView} with it. */
export interface TeachRequest extends QaPair {
  /** The question of the pair that this one replaces. */
  readonly instead?: string | undefined;
  /** The number of pairs that the agent saw, so that a changed list is not overwritten. */
  readonly seen: number;
  /** The bot to teach; each has its own list. */
  readonly bot: string;
}

/** `POST api/teach/remove`: makes the bot forget a pair. The answer is the {@link TeachView} without it. */
export type UnteachRequest = Pick<TeachRequest, 'question' | 'seen' | 'bot'>;

/** A session of the agent. */
export interface SessionView {
  readonly id: string;
  readonly startedAt: number;
  /** When the agent last did something. */
  readonly seenAt: number;
  /** The address and the browser it started from. */
  readonly from: string;
  readonly browser: string;
  readonly isCurrent: boolean;
}

/** `GET api/account`: the agent's own account. */
export interface AccountView {
  /** Requests that change something must carry it. */
  readonly token: string;
  /** Whether the agent has a password here; others log in elsewhere. */
  readonly hasPassword: boolean;
  /** Whether logins need a code from an authenticator app. */
  readonly hasTotp: boolean;
  /** Whether this desk requires it. */
  readonly requiresTotp: boolean;
  readonly sessions: readonly SessionView[];
}

/** `GET` and `PUT api/admin/login-policy`. */
export interface LoginPolicyView {
  /** Whether agents with a password must also have a second factor. */
  readonly requiresTotp: boolean;
}

/** `GET api/admin/agents`: an agent as administrators see it. */
export interface AdminAgentView extends AgentView {
  readonly hasPassword: boolean;
  readonly hasTotp: boolean;
}

/** A team of agents. */
export interface TeamView {
  readonly id: string;
  readonly name: string;
  /** The ids of its agents. */
  readonly members: readonly string[];
}

/** The teams. The version tells whether another administrator has changed them. */
export interface TeamList {
  readonly teams: readonly TeamView[];
  readonly version: number;
}

/** How conversations get their agents. */
export interface AssignmentRules {
  /** `manual`: agents claim them. Else the next agent in turn, or the one with the fewest open conversations. */
  readonly method: 'manual' | 'roundRobin' | 'leastBusy';
  /** An agent with this many open conversations gets no more by the rules; `null` without a limit. */
  readonly capacity: number | null;
  /** The team or agent for the conversations of a bot, by its name in the receiver or its `bot_id`. */
  readonly bots: readonly {
    readonly bot: string;
    readonly to: { readonly kind: 'team' | 'agent'; readonly id: string };
  }[];
}

/** The rules. The version tells whether another administrator has changed them. */
export interface AssignmentSettings extends AssignmentRules {
  readonly version: number;
}

/** A key of {@link HoursRules.open}. */
export type Weekday = 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun';

/** When the desk takes handoffs. The hours are kept while another mode is chosen. */
export interface HoursRules {
  /** `configured`: by the options of the desk; `weekly`: in the hours below. */
  readonly mode: 'always' | 'weekly' | 'configured';
  /** An IANA name; empty until one was chosen. */
  readonly timeZone: string;
  /** Ranges such as `09:00-17:00` by weekday. */
  readonly open: Readonly<Partial<Record<Weekday, readonly string[]>>>;
  /** Holidays, such as `2027-01-01`. */
  readonly closedOn: readonly string[];
  /** The reply to users outside the weekly hours. Empty: the request is refused, and the platform tells them. */
  readonly message: string;
}

/** `PUT api/admin/hours`. The version tells whether another administrator has changed the hours. */
export interface HoursChange extends HoursRules {
  readonly version: number;
}

/** `GET api/admin/hours`. */
export interface HoursView extends HoursChange {
  /** The hours of the options: `null` without any, `function` when the application decides. */
  readonly configured: Omit<HoursRules, 'mode' | 'message'> | 'function' | null;
  readonly isOpenNow: boolean;
}

/** `GET api/admin/audit?search=&since=&until=&before=`: lines of the audit log, latest first. */
export interface AuditPage {
  readonly entries: readonly AuditEntryView[];
  /** Whether there are earlier ones: `before` is the `seq` of the last. */
  readonly more: boolean;
}

/** A line of the audit log. */
export interface AuditEntryView {
  readonly seq: number;
  readonly at: number;
  /** The agent's id; `null` without a session. */
  readonly agent: string | null;
  readonly action: string;
  readonly from?: string;
  readonly conversationId?: string;
  readonly detail?: string;
  readonly before?: Readonly<Record<string, unknown>>;
  readonly after?: Readonly<Record<string, unknown>>;
}

/** The body of every error. */
export interface ErrorBody {
  readonly code: string;
  /** English text for the agent. */
  readonly message: string;
}

/** What the assistant is asked for: a draft of the next reply, a summary for a colleague, or a translation. */
export type AssistRequest =
  | { readonly task: 'draft' }
  | { readonly task: 'summary'; readonly language: string }
  /** `customer` is the language in which the customer writes. */
  | { readonly task: 'translation'; readonly language: string; readonly text: string };

/** A line of the assistant's answer. The last one says that it is complete, or why it is not. */
export type AssistPiece =
  | { readonly text: string }
  | { readonly done: true; readonly isCut: boolean }
  | { readonly error: string };
