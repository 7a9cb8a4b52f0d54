import type { Request } from 'express';
import { z } from 'zod';
import type { QueueAdmin } from '../../../delivery/index.js';
import { DEFAULT_BOT } from '../../../events/index.js';
import {
  type ActionName,
  type AgentView,
  agentView,
  cannedList,
  conversationListView,
  conversationStatus,
  conversationSummary,
  conversationView,
  type DeadLetterView,
  dashboardView,
  deadLetterDetails,
  entriesView,
  stateView,
  teachView,
} from '../../api.js';
import type { Agents } from '../agents/agents.js';
import { may, permissionsOf } from '../agents/roles.js';
import type { Availability } from '../assignment/availability.js';
import type { ConversationQueries } from '../conversations/conversation-queries.js';
import type { DeskConversations } from '../conversations/index.js';
import { readDashboard } from '../dashboard.js';
import type { DeadLetters } from '../dead-letters.js';
import { DeskError } from '../errors.js';
import type { Hours } from '../hours.js';
import type { LiveUpdates } from '../live-updates.js';
import type { CannedReplies, SavedFilters, Teams } from '../settings.js';
import type { Signals } from '../signals.js';
import { DOCUMENT_KIND, type DocumentStore } from '../store/index.js';
import type { Teaching } from '../teaching.js';
import { readTimeZone } from '../time-zone.js';
import type { ActOnConversation } from './act-on-conversation.js';
import type { AgentRoutes } from './agent-routes.js';
import type { FindCurrentAgent } from './current-agent.js';
import { type OpenStreams, streamUpdates } from './event-stream.js';
import {
  ACTION_SCHEMAS,
  cannedChange,
  queryNumber,
  queryText,
  teachRequest,
  unteachRequest,
} from './validate.js';

/** The parts of the desk's API. */
export interface ApiParts {
  readonly store: DocumentStore;
  readonly conversations: DeskConversations;
  readonly queries: ConversationQueries;
  readonly updates: LiveUpdates;
  readonly signals: Signals;
  readonly agents: Agents;
  readonly teams: Teams;
  readonly canned: CannedReplies;
  readonly filters: SavedFilters;
  readonly teaching: Teaching;
  readonly queues: QueueAdmin | null;
  readonly deadLetters: DeadLetters;
  readonly findAgent: FindCurrentAgent;
  readonly idleMs: number;
  /** The names of the bots. */
  readonly bots: readonly string[];
  readonly hasPlatform: boolean;
  readonly canAssist: boolean;
  readonly hasPush: boolean;
  readonly availability: Availability;
  readonly act: ActOnConversation;
  readonly hours: Hours;
}

const listQuery = z.object({
  state: conversationStatus.optional().catch(undefined),
  search: queryText.describe(
    'Without a state, looks through ids, e-mail addresses, phone numbers and the latest messages.',
  ),
  before: queryNumber.describe('The `requestedAt` of the last one of the page before.'),
  beforeId: queryText.describe('Its `id`.'),
});

const ACTION_SUMMARIES: Readonly<Record<ActionName, string>> = {
  claim: 'Claims a conversation',
  release: 'Gives it back',
  transfer: 'Assigns it to an agent, or takes it over from one',
  pass: 'Transfers it to a team, whose agents claim it',
  reply: 'Replies to the user. A repeated request with the same `messageId` stays one reply',
  retry: 'Sends a failed reply again',
  note: 'Adds a note for agents. A repeated request with the same `messageId` stays one note',
  tag: 'Adds and removes tags',
  priority: 'Sets the priority',
  snooze: 'Hides it from lists until a time; `null` shows it again',
  close: 'Closes it',
  read: 'Records which messages and mentions you have read',
};
const ACTIONS = Object.keys(ACTION_SUMMARIES) as readonly ActionName[];

/** Adds the routes of the desk's API. */
export function addApiRoutes(routes: AgentRoutes, parts: ApiParts): void {
  const { store, conversations, queries, updates, agents, canned, teaching, deadLetters, findAgent, act } =
    parts;

  const auditDeadLetter = (agent: AgentView, action: string, letter: DeadLetterView) =>
    conversations.audit.write(agent.id, `${action} of a dead letter`, {
      conversationId: letter.conversationId,
      detail: `${letter.queue} ${letter.id}`,
      ...(action !== 'read' && {
        before: { state: 'dead', attempts: letter.attempts },
        after: { state: action === 'retry' ? 'waiting' : 'discarded' },
      }),
    });

  routes.get(
    '/api/state',
    'answer',
    { summary: 'Everything that a page needs at the start', answer: stateView },
    async ({ agent, token }) => {
      // Read before the lists: changes in between arrive again as live updates, which is harmless.
      const seq = await store.head();
      const counts = await store.count(DOCUMENT_KIND.conversation);
      return {
        me: agent,
        may: permissionsOf(agent.role),
        token,
        agents: await agents.list(),
        teams: (await parts.teams.list()).teams,
        bots: parts.bots,
        ...(await queries.current(agent.id)),
        counts: { waiting: counts.waiting ?? 0, active: counts.active ?? 0, closed: counts.closed ?? 0 },
        canned: await canned.list(),
        filters: await parts.filters.list(agent),
        seq,
        now: Date.now(),
        durable: parts.queues !== null,
        hasPlatform: parts.hasPlatform,
        canTeach: parts.hasPlatform && may(agent.role, 'teach'),
        canAssist: parts.canAssist,
        idleMs: parts.idleMs,
        hasPush: parts.hasPush,
      };
    },
  );
  routes.get('/api/agents', 'answer', { summary: 'The agents', answer: z.array(agentView) }, () =>
    agents.list(),
  );
  const open: OpenStreams = new Map();
  routes.get(
    '/api/events',
    'answer',
    {
      summary: 'Live updates as server-sent events: each is a `ConversationUpdate`, and its id is its `seq`',
      query: z.object({ after: queryNumber.describe('The last `seq` that the client has.') }),
      answer: 'text/event-stream',
    },
    ({ agent, session }, request, response) => {
      // A token that was revoked is refused. Other errors say nothing about it.
      const current = () =>
        findAgent(request).catch((error: unknown) => {
          if (error instanceof DeskError) return null;
          throw error;
        });
      const hasSession = async () => (await current())?.lacksTotp === false;
      const { signals } = parts;
      // Rules assign conversations to agents who are connected. A program may only be listening.
      const connect = () => (session ? parts.availability.connect(agent.id) : () => undefined);
      const sessionId = session?.id ?? agent.id;
      streamUpdates(request, response, { updates, signals, hasSession, sessionId, connect, open });
    },
  );
  routes.get(
    '/api/conversations',
    'answer',
    { summary: 'A page of conversations, latest first', query: listQuery, answer: conversationListView },
    ({ query: { state, search, before, beforeId = '' } }) =>
      queries.list({
        ...(state && { state }),
        ...(search && { search }),
        ...(before !== undefined && { before: { requestedAt: before, id: beforeId } }),
      }),
  );
  routes.get(
    '/api/conversations/:id',
    'answer',
    { summary: 'A conversation with its latest messages', answer: conversationView },
    (_call, request) => queries.conversation(param(request, 'id')),
  );
  routes.get(
    '/api/conversations/:id/entries',
    'answer',
    {
      summary: 'Earlier messages and events',
      query: z.object({ before: queryNumber.describe('The first `seq` that the client has.') }),
      answer: entriesView,
    },
    ({ query: { before = Number.MAX_SAFE_INTEGER } }, request) =>
      queries.entries(param(request, 'id'), before),
  );
  for (const action of ACTIONS) {
    const body: z.ZodType = ACTION_SCHEMAS[action];
    routes.change(
      'post',
      `/api/conversations/:id/${action}`,
      'answer',
      { summary: ACTION_SUMMARIES[action], body, answer: conversationSummary },
      ({ agent, body: input }, request) => act(agent, param(request, 'id'), action, input),
    );
  }
  routes.get('/api/canned', 'answer', { summary: 'The canned replies', answer: cannedList }, () =>
    canned.list(),
  );
  routes.change(
    'put',
    '/api/canned',
    'editCanned',
    { summary: 'Replaces the canned replies', body: cannedChange, answer: cannedList },
    ({ agent, body }) => canned.save(agent, body),
  );
  routes.get(
    '/api/teach',
    'answer',
    { summary: 'What a bot was taught', query: z.object({ bot: queryText }), answer: teachView },
    ({ query }) => teaching.view(query.bot || DEFAULT_BOT),
  );
  routes.change(
    'post',
    '/api/teach',
    'teach',
    { summary: 'Teaches a bot a question and its answer', body: teachRequest, answer: teachView },
    ({ agent, body }) => teaching.teach(agent, body),
  );
  routes.change(
    'post',
    '/api/teach/remove',
    'teach',
    { summary: 'Makes a bot forget a question', body: unteachRequest, answer: teachView },
    ({ agent, body }) => teaching.remove(agent, body),
  );
  routes.get(
    '/api/dashboard',
    'answer',
    { summary: 'The numbers of today', answer: dashboardView },
    async ({ agent }) => {
      const queues = may(agent.role, 'deadLetters') ? parts.queues : null;
      return readDashboard(store, queues, await readTimeZone(parts.hours));
    },
  );
  routes.get(
    '/api/dead/:queue/:id',
    'deadLetters',
    { summary: 'A dead letter with its content', answer: deadLetterDetails },
    async ({ agent }, request) => {
      const letter = await deadLetters.show(queueOf(request), param(request, 'id'));
      await auditDeadLetter(agent, 'read', letter);
      return letter;
    },
  );
  for (const action of ['retry', 'discard'] as const) {
    routes.change(
      'post',
      `/api/dead/:queue/:id/${action}`,
      'deadLetters',
      { summary: action === 'retry' ? 'Tries a dead letter again' : 'Discards a dead letter' },
      async ({ agent }, request) => {
        const letter = await deadLetters.show(queueOf(request), param(request, 'id'));
        await deadLetters[action](letter.queue, letter.id);
        await auditDeadLetter(agent, action, letter);
      },
    );
  }
}

const param = ({ params }: Request, name: string): string => {
  const value = params[name];
  return typeof value === 'string' ? value : '';
};

function queueOf({ params }: Request): 'inbox' | 'outbox' {
  if (params.queue === 'inbox' || params.queue === 'outbox') return params.queue;
  throw new DeskError('INVALID');
}
