/**
 * The API of the desk, for its page and for programs. The server's OpenAPI description is generated from these schemas;
 * the page imports the types alone. Times are in milliseconds.
 *
 * @module
 */
import { z } from 'zod';
import { type AgentRole, PERMISSIONS, type Permission, ROLES } from './server/agents/roles.js';

export type { Permission };

/** The read-only type of a schema's values. */
export type View<Schema extends z.ZodType> = Immutable<z.output<Schema>>;

type Immutable<Value> = Value extends object
  ? { readonly [Key in keyof Value]: Immutable<Value[Key]> }
  : Value;

const time = z.int();
const count = z.int().min(0);

/** An agent who works at the desk. */
export interface AgentView {
  readonly id: string;
  /** Shown to other agents, and to the user where agents' names are shown. */
  readonly name: string;
  /** What the agent may do. */
  readonly role: AgentRole;
}

export const agentView: z.ZodType<AgentView> = z.object({
  id: z.string(),
  name: z.string().describe("Shown to other agents, and to the user where agents' names are shown."),
  role: z.enum(ROLES),
});

export const conversationStatus = z
  .enum(['waiting', 'active', 'closed'])
  .describe('`waiting` without an agent, `active` with one.');
export type ConversationStatus = View<typeof conversationStatus>;

export const closedBy = z
  .enum(['user', 'timeout', 'agent', 'system'])
  .describe('The side that closed a conversation; `system` is the receiver itself.');
export type ClosedBy = View<typeof closedBy>;

export const priority = z
  .enum(['low', 'normal', 'high', 'urgent'])
  .describe('How soon a conversation needs an answer.');
export type Priority = View<typeof priority>;

export const customerView = z
  .object({
    key: z.string(),
    userId: z.string().nullable(),
    anonymousId: z.string().nullable(),
    email: z.string().nullable(),
    phone: z.string().nullable(),
  })
  .describe('The user, as the platform describes them. Many users may share a placeholder e-mail address.');
export type CustomerView = View<typeof customerView>;

export const conversationSummary = z
  .object({
    id: z.string().describe("The desk's id of the conversation."),
    conversationId: z.string().describe("The receiver's id of the conversation."),
    bot: z
      .string()
      .describe(
        'The bot that requested the handoff, by its name in the receiver; `default` if there is only one.',
      ),
    state: conversationStatus,
    user: customerView,
    agent: z.string().nullable().describe('The id of the agent it is assigned to, or `null`.'),
    team: z.string().nullable().describe('The id of the team it is for, or `null`.'),
    offer: z
      .string()
      .nullable()
      .describe(
        'Set while a rule has assigned it and its agent has not replied yet: when the agent leaves, another gets it.',
      ),
    requestedAt: time,
    replyBy: time
      .nullable()
      .describe(
        'The platform ends the handoff unless the user got a reply by then; `null` when the user got an automatic one.',
      ),
    firstReplyAt: time.nullable().describe('When the platform had the first reply.'),
    ended: z.object({ by: closedBy, at: time, agent: z.string().nullable() }).nullable(),
    last: z
      .object({ from: z.enum(['customer', 'agent']), text: z.string(), at: time })
      .nullable()
      .describe(
        "The start of the last message of the user or an agent; at first, the user's last words to the bot.",
      ),
    tags: z.array(z.string()).describe('Sorted.'),
    priority,
    snoozedUntil: time.nullable().describe('Not listed until then, or until the user writes.'),
    mentions: z
      .record(z.string(), z.object({ count, read: count }))
      .describe(
        'The notes that mention each agent, by agent id: how many, and how many of them the agent has read.',
      ),
    customerMessages: count.describe('The number of messages from the user.'),
    read: z.record(z.string(), count).describe('The number of them that each agent has read, by agent id.'),
    version: count,
  })
  .describe('A conversation in a list.');
export type ConversationSummary = View<typeof conversationSummary>;

export const transcriptLine = z
  .object({ from: z.enum(['user', 'bot', 'other']), text: z.string() })
  .describe('A message from before the handoff.');
export type TranscriptLine = View<typeof transcriptLine>;

export const deliveryState = z
  .enum(['storing', 'stored', 'sent', 'failed'])
  .describe('The delivery state of a reply.');
export type DeliveryState = View<typeof deliveryState>;

/** An id. */
const id = z.string();

export const conversationEvent = z
  .union([
    z.object({ type: z.literal('opened') }),
    z.object({ type: z.literal('message'), messageId: id, from: z.literal('customer'), text: z.string() }),
    z.object({
      type: z.literal('message'),
      messageId: id,
      from: z.literal('agent'),
      agent: id,
      text: z.string(),
    }),
    z.object({
      type: z.literal('note'),
      messageId: id,
      agent: id,
      text: z.string(),
      mentions: z
        .array(id)
        .exactOptional()
        .describe('The ids of the agents it mentions, by name or by team.'),
    }),
    z.object({ type: z.enum(['claimed', 'released']), agent: id }),
    z
      .object({ type: z.enum(['assigned', 'unassigned']), agent: id })
      .describe('By the rules: to an agent, and back because the agent is no longer available.'),
    z.object({ type: z.literal('transferred'), agent: id, to: id }),
    z
      .object({ type: z.literal('passed'), agent: id, team: id, name: z.string() })
      .describe('To a team, by its name at that time.'),
    z.object({
      type: z.literal('tagged'),
      agent: id,
      added: z.array(z.string()),
      removed: z.array(z.string()),
    }),
    z.object({ type: z.literal('prioritised'), agent: id, priority }),
    z.object({ type: z.literal('snoozed'), agent: id, until: time.nullable() }),
    z.object({ type: z.literal('closed'), by: closedBy, agent: id.nullable() }),
    z.object({
      type: z.literal('delivery'),
      messageId: id,
      state: deliveryState,
      reason: z.string().nullable().describe('The reason of a failure, in English.'),
      code: z.string().nullable().describe('A stable code for the reason.'),
    }),
    z.object({ type: z.literal('read'), agent: id }),
  ])
  .describe('An event in a conversation.');
export type ConversationEvent = View<typeof conversationEvent>;

export const conversationUpdate = z
  .object({
    seq: count.describe(
      'Grows with every update. A client that reconnects asks for updates after the last one it has.',
    ),
    at: time,
    summary: conversationSummary,
    event: conversationEvent,
  })
  .describe('An event in a conversation, with the conversation after it.');
export type ConversationUpdate = View<typeof conversationUpdate>;

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

export const teamView = z
  .object({ id, name: z.string(), members: z.array(id).describe('The ids of its agents.') })
  .describe('A team of agents.');
export type TeamView = View<typeof teamView>;

export const pushView = z.object({
  publicKey: z
    .string()
    .nullable()
    .describe('The key that a browser subscribes with; `null` if the desk cannot push.'),
});
export type PushView = View<typeof pushView>;

/** `POST api/push`: the subscription of a browser, as its push service made it. */
export interface PushSubscriptionInput {
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
  /** The language of the notifications. */
  readonly language: 'en' | 'zh';
}

/** What the service worker is sent. No names and no words of customers: it passes the push service of the browser. */
export interface PushMessage {
  /** A message in the agent's conversation, a conversation for the agent, or one that waits for anyone. */
  readonly kind: 'message' | 'assigned' | 'waiting';
  readonly conversation: string;
  readonly language: PushSubscriptionInput['language'];
}

export const teamList = z
  .object({ teams: z.array(teamView), version: count })
  .describe('The teams. The version tells whether another administrator has changed them.');
export type TeamList = View<typeof teamList>;

export const inboxViewName = z.enum(['mine', 'teams', 'mentions', 'unassigned', 'all', 'closed']);
export type InboxViewName = View<typeof inboxViewName>;

export const savedFilter = z
  .object({
    id,
    name: z.string(),
    view: inboxViewName,
    bot: z.string().nullable(),
    tag: z.string().nullable(),
    priority: priority.nullable(),
  })
  .describe('A saved selection of conversations. Parts that are `null` select everything.');
export type SavedFilter = View<typeof savedFilter>;

export const cannedReply = z
  .object({ id, title: z.string(), text: z.string() })
  .describe('A reply template. `{user}`, `{agent}` and `{conversation}` are filled in.');
export type CannedReply = View<typeof cannedReply>;

export const cannedList = z
  .object({ replies: z.array(cannedReply), version: count })
  .describe('The canned replies. The version tells whether another agent has changed them.');
export type CannedList = View<typeof cannedList>;

export const stateView = z
  .object({
    me: agentView,
    may: z.array(z.enum(PERMISSIONS)).describe('What the role allows.'),
    token: z.string().describe('Of a session: sent with every change, in the header `x-desk-token`.'),
    agents: z.array(agentView),
    teams: z.array(teamView),
    bots: z.array(z.string()).describe('The names of the bots.'),
    conversations: z
      .array(conversationSummary)
      .describe('The latest open and closed ones, and the latest ones with a note that mentions the agent.'),
    more: z
      .array(
        z.object({
          state: conversationStatus,
          after: conversationSummary.pick({ requestedAt: true, id: true }),
        }),
      )
      .describe('The open conversations that are not in it begin after these.'),
    counts: z.object({ waiting: count, active: count, closed: count }),
    canned: cannedList,
    filters: z.array(savedFilter).describe("The agent's own."),
    seq: count.describe('Live updates continue after this number.'),
    now: time.describe("The server's clock, for deadlines."),
    durable: z.boolean().describe('Whether replies survive an outage of the platform.'),
    hasPlatform: z
      .boolean()
      .describe('Whether the receiver has the address of a platform and an API key for it.'),
    canTeach: z.boolean().describe('Whether this agent can teach the bot.'),
    canAssist: z.boolean().describe('Whether there is an assistant.'),
    idleMs: z.number().describe('After how many milliseconds without activity the agent is logged out.'),
    hasPush: z
      .boolean()
      .describe('Whether browsers can get notifications while no page of the desk is open.'),
  })
  .describe('Everything the page needs at the start.');
export type StateView = View<typeof stateView>;

const entries = z.array(conversationUpdate);

export const entriesView = z.object({ entries, more: z.boolean() });

export const conversationView = z.object({
  summary: conversationSummary,
  botId: z.string().nullable(),
  transcript: z.array(transcriptLine),
  entries: entries.describe('The latest updates, oldest first.'),
  more: z
    .boolean()
    .describe(
      'Whether there are earlier ones: `GET api/conversations/:id/entries`, with the first `seq` as `before`.',
    ),
});
export type ConversationView = View<typeof conversationView>;

export const conversationListView = z.object({
  snippets: z
    .record(z.string(), z.string())
    .exactOptional()
    .describe('Where a search found its text in a message: the part around it, by id of the conversation.'),
  conversations: z.array(conversationSummary),
  more: z.boolean(),
});
export type ConversationListView = View<typeof conversationListView>;

export const customerAttribute = z
  .object({ name: z.string(), value: z.string() })
  .describe('An attribute of a user that the application knows. Shown as text.');
export type CustomerAttribute = View<typeof customerAttribute>;

export const customerDetailsView = z.object({
  history: z.array(conversationSummary).describe('Other conversations of the same user, newest first.'),
  attributes: z
    .array(customerAttribute)
    .nullable()
    .describe('From the application; `null` when it failed or took too long.'),
});
export type CustomerDetailsView = View<typeof customerDetailsView>;

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

export const errorBody = z
  .object({
    code: z.string(),
    message: z.string().describe('English text for the agent.'),
    fields: z.array(z.string()).exactOptional().describe('Of `INVALID`: the fields that cannot be used.'),
  })
  .describe('The body of every error.');
export type ErrorBody = View<typeof errorBody>;

export const bulkFailure = errorBody.extend({ id });
export type BulkFailure = View<typeof bulkFailure>;

export const bulkResult = z.object({
  done: z.array(id).describe('The ids of the conversations on which it succeeded.'),
  failed: z.array(bulkFailure),
});
export type BulkResult = View<typeof bulkResult>;

export const deadLetterView = z
  .object({
    queue: z.enum(['inbox', 'outbox']),
    id,
    conversationId: z.string(),
    what: z.string().describe('The name of the event, or `reply` or `close`.'),
    attempts: count,
    error: z.string().nullable(),
    createdAt: time,
  })
  .describe('An event or reply that failed after all retries.');
export type DeadLetterView = View<typeof deadLetterView>;

export const deadLetterDetails = deadLetterView.extend({ content: z.unknown() });
export type DeadLetterDetails = View<typeof deadLetterDetails>;

const percentiles = z.object({ p50: z.number().nullable(), p90: z.number().nullable() });

export const dashboardHour = z.object({
  at: time,
  requested: count,
  handled: count,
  missed: count,
  firstReplyMs: z.number().nullable().describe('The median time to the first reply, or `null`.'),
});
export type DashboardHour = View<typeof dashboardHour>;

export const dashboardView = z.object({
  timeZone: z.string().describe("The desk's time zone, such as `Europe/Berlin`."),
  waiting: count,
  active: count,
  handledToday: count.describe("Since midnight in the desk's time zone."),
  missedToday: count.describe('Closed without any reply, since midnight.'),
  firstReply: percentiles.describe('Time from the request to the first reply since midnight.'),
  hours: z.array(dashboardHour).describe('The last 24 hours, oldest first.'),
  agents: z.array(z.object({ agent: id, active: count, handledToday: count })),
  dead: z.array(deadLetterView),
});
export type DashboardView = View<typeof dashboardView>;

export const reportNumbers = z
  .object({
    requested: count,
    handled: count.describe('Ended with a reply.'),
    missed: count.describe('Ended without any.'),
    firstReply: percentiles.describe('From the request to the first reply.'),
    handling: percentiles.describe('From the request to the end, of those handled.'),
  })
  .describe('Numbers of conversations. `null` without any conversation to measure.');
export type ReportNumbers = View<typeof reportNumbers>;

export const reportView = reportNumbers.extend({
  from: z.string(),
  to: z.string(),
  timeZone: z.string(),
  days: z.array(reportNumbers.extend({ day: z.string() })).describe('Oldest first.'),
  agents: z.array(reportNumbers.extend({ agent: id })).describe('By the agent they were assigned to last.'),
  deadLetters: count.describe('Failed deliveries in the range.'),
});
export type ReportView = View<typeof reportView>;

export const qaPair = z.object({ question: z.string(), answer: z.string() });
export type QaPair = View<typeof qaPair>;

export const teachView = z
  .object({
    document: z
      .object({ id, name: z.string() })
      .nullable()
      .describe('The knowledge document at the platform, once there is one.'),
    pairs: z.array(qaPair),
  })
  .describe('The pairs that the bot was taught.');
export type TeachView = View<typeof teachView>;

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

export const sessionView = z.object({
  id,
  startedAt: time,
  seenAt: time.describe('When the agent last did something.'),
  from: z.string().describe('The address it started from.'),
  browser: z.string(),
  isCurrent: z.boolean(),
});
export type SessionView = View<typeof sessionView>;

export const accountView = z
  .object({
    token: z.string().describe('Requests that change something must carry it.'),
    hasPassword: z.boolean().describe('Whether the agent has a password here; others log in elsewhere.'),
    hasTotp: z.boolean().describe('Whether logins need a code from an authenticator app.'),
    requiresTotp: z.boolean().describe('Whether this desk requires it.'),
    sessions: z.array(sessionView),
  })
  .describe("The agent's own account.");
export type AccountView = View<typeof accountView>;

export const loginPolicyView = z.object({
  requiresTotp: z.boolean().describe('Whether agents with a password must also have a second factor.'),
});
export type LoginPolicyView = View<typeof loginPolicyView>;

export const adminAgentView = z
  .object({
    id,
    name: z.string(),
    role: z.enum(ROLES),
    hasPassword: z.boolean(),
    hasTotp: z.boolean(),
  })
  .describe('An agent as administrators see it.');
export type AdminAgentView = View<typeof adminAgentView>;

/** A password that is shown once. */
export const newPassword = z.object({ password: z.string() });

export const assignmentSettings = z
  .object({
    method: z
      .enum(['manual', 'roundRobin', 'leastBusy'])
      .describe(
        '`manual`: agents claim them. Else the next agent in turn, or the one with the fewest open ones.',
      ),
    capacity: count
      .nullable()
      .describe(
        'An agent with this many open conversations gets no more by the rules; `null` without a limit.',
      ),
    bots: z
      .array(z.object({ bot: z.string(), to: z.object({ kind: z.enum(['team', 'agent']), id }) }))
      .describe(
        'The team or agent for the conversations of a bot, by its name in the receiver or its `bot_id`.',
      ),
    version: count,
  })
  .describe(
    'How conversations get their agents. The version tells whether another administrator has changed it.',
  );
export type AssignmentSettings = View<typeof assignmentSettings>;
export type AssignmentRules = Omit<AssignmentSettings, 'version'>;

const weekday = z.enum(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']);
export type Weekday = View<typeof weekday>;

const hoursRules = z.object({
  mode: z
    .enum(['always', 'weekly', 'configured'])
    .describe('`configured`: by the options of the desk; `weekly`: in the hours below.'),
  timeZone: z.string().describe('An IANA name; empty until one was chosen.'),
  open: z.partialRecord(weekday, z.array(z.string())).describe('Ranges such as `09:00-17:00` by weekday.'),
  closedOn: z.array(z.string()).describe('Holidays, such as `2027-01-01`.'),
  message: z
    .string()
    .describe(
      'The reply to users outside the weekly hours. Empty: the request is refused, and the platform tells them.',
    ),
});
/** When the desk takes handoffs. The hours are kept while another mode is chosen. */
export type HoursRules = View<typeof hoursRules>;

/** `PUT api/admin/hours`. The version tells whether another administrator has changed the hours. */
export interface HoursChange extends HoursRules {
  readonly version: number;
}

export const hoursView = hoursRules.extend({
  version: count,
  configured: z
    .union([hoursRules.omit({ mode: true, message: true }), z.literal('function'), z.null()])
    .describe('The hours of the options: `null` without any, `function` when the application decides.'),
  isOpenNow: z.boolean(),
});
export type HoursView = View<typeof hoursView>;

export const auditEntryView = z.object({
  seq: count,
  at: time,
  agent: id.nullable().describe("The agent's id, or a token's; `null` without a session."),
  action: z.string(),
  from: z.string().exactOptional(),
  conversationId: z.string().exactOptional(),
  detail: z.string().exactOptional(),
  before: z.record(z.string(), z.unknown()).exactOptional(),
  after: z.record(z.string(), z.unknown()).exactOptional(),
});
export type AuditEntryView = View<typeof auditEntryView>;

export const auditPage = z.object({
  entries: z.array(auditEntryView),
  more: z.boolean().describe('Whether there are earlier ones: `before` is the `seq` of the last.'),
});
export type AuditPage = View<typeof auditPage>;

export const tokenView = z
  .object({
    id: id.describe('The agent that the token acts as, such as `token:3f9a…`. The audit log names it.'),
    name: z.string(),
    role: z.enum(ROLES),
    createdAt: time,
    createdBy: id,
    expiresAt: time.nullable(),
    lastUsedAt: time.nullable().describe('To the minute.'),
  })
  .describe('A token with which a program uses this API.');
export type TokenView = View<typeof tokenView>;

export const newToken = tokenView.extend({
  token: z.string().describe('For the header `Authorization: Bearer`. It is not shown again.'),
});
export type NewToken = View<typeof newToken>;

export const webhookEventName = z.enum([
  'conversation.opened',
  'conversation.claimed',
  'conversation.closed',
  'note.added',
  'sla.missed',
]);
export type WebhookEventName = View<typeof webhookEventName>;

export const webhookView = z
  .object({
    id,
    url: z.string(),
    events: z.array(webhookEventName),
    content: z
      .boolean()
      .describe("Whether it also sends words of users and agents, and users' contact details."),
    createdAt: time,
    createdBy: id,
    waiting: count.describe('Events that are not delivered yet.'),
    deliveredAt: time.nullable().describe('The last success, to the minute.'),
    failingSince: time.nullable().describe('The first failure since the last success.'),
    problem: z.string().nullable().describe('What happened at the last failure.'),
    disabledAt: time.nullable().describe('When the desk gave up.'),
  })
  .describe('An address that events are sent to.');
export type WebhookView = View<typeof webhookView>;

export const newWebhook = webhookView.extend({
  secret: z.string().describe('Verifies signatures. It is not shown again.'),
});
export type NewWebhook = View<typeof newWebhook>;

export const webhookPayload = z
  .object({
    type: webhookEventName,
    timestamp: z.iso.datetime(),
    data: z.object({
      conversation: conversationSummary
        .pick({
          id: true,
          conversationId: true,
          bot: true,
          state: true,
          agent: true,
          team: true,
          requestedAt: true,
          replyBy: true,
          firstReplyAt: true,
          ended: true,
          tags: true,
          priority: true,
        })
        .extend({
          user: customerView
            .partial({ email: true, phone: true })
            .describe('Contact details with `content`.'),
          last: conversationSummary.shape.last.optional().describe('With `content`.'),
        }),
      by: id.exactOptional().describe('Of `conversation.claimed`: who transferred it, if not its new agent.'),
      note: z
        .object({ messageId: id, agent: id, text: z.string().exactOptional().describe('With `content`.') })
        .exactOptional()
        .describe('Of `note.added`.'),
    }),
  })
  .describe('The body of a webhook.');
export type WebhookPayload = View<typeof webhookPayload>;

/** What the assistant is asked for: a draft of the next reply, a summary for a colleague, or a translation. */
export type AssistRequest =
  | { readonly task: 'draft' }
  | { readonly task: 'summary'; readonly language: string }
  /** `customer` is the language in which the customer writes. */
  | { readonly task: 'translation'; readonly language: string; readonly text: string };

export const assistPiece = z
  .union([
    z.object({ text: z.string() }),
    z.object({ done: z.literal(true), isCut: z.boolean() }),
    z.object({ error: z.string() }),
  ])
  .describe("A line of the assistant's answer. The last one says that it is complete, or why it is not.");
export type AssistPiece = View<typeof assistPiece>;
