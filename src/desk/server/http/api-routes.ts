import type { Request } from 'express';
import type { QueueAdmin } from '../../../delivery/index.js';
import { DEFAULT_BOT } from '../../../events/index.js';
import type { AgentView, ConversationStatus, DeadLetterView, StateView } from '../../api.js';
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
import { cannedList, readBody, teachRequest, unteachRequest } from './validate.js';

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
  readonly availability: Availability;
  readonly act: ActOnConversation;
  readonly hours: Hours;
}

const STATES: readonly ConversationStatus[] = ['waiting', 'active', 'closed'];

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

  routes.get('/api/state', 'answer', async ({ agent, token }): Promise<StateView> => {
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
    };
  });
  routes.get('/api/agents', 'answer', () => agents.list());
  const open: OpenStreams = new Map();
  routes.get('/api/events', 'answer', ({ agent, session }, request, response) => {
    const hasSession = async () => (await findAgent(request))?.lacksTotp === false;
    const { signals } = parts;
    const connect = () => parts.availability.connect(agent.id);
    streamUpdates(request, response, { updates, signals, hasSession, sessionId: session.id, connect, open });
  });
  routes.get('/api/conversations', 'answer', (_current, { query }) => {
    const state = STATES.find((each) => each === query.state);
    const search = textOf(query.search);
    const before = numberOf(query.before);
    return queries.list({
      ...(state && { state }),
      ...(search && { search }),
      ...(before !== null && { before: { requestedAt: before, id: textOf(query.beforeId) } }),
    });
  });
  routes.get('/api/conversations/:id', 'answer', (_current, request) =>
    queries.conversation(param(request, 'id')),
  );
  routes.get('/api/conversations/:id/entries', 'answer', (_current, request) =>
    queries.entries(param(request, 'id'), numberOf(request.query.before) ?? Number.MAX_SAFE_INTEGER),
  );
  routes.change('post', '/api/conversations/:id/:action', 'answer', ({ agent }, request) =>
    act(agent, param(request, 'id'), param(request, 'action'), request.body),
  );
  routes.get('/api/canned', 'answer', () => canned.list());
  routes.change('put', '/api/canned', 'editCanned', ({ agent }, { body }) =>
    canned.save(agent, readBody(cannedList, body)),
  );
  routes.get('/api/teach', 'answer', (_current, { query }) =>
    teaching.view(textOf(query.bot) || DEFAULT_BOT),
  );
  routes.change('post', '/api/teach', 'teach', ({ agent }, { body }) =>
    teaching.teach(agent, readBody(teachRequest, body)),
  );
  routes.change('post', '/api/teach/remove', 'teach', ({ agent }, { body }) =>
    teaching.remove(agent, readBody(unteachRequest, body)),
  );
  routes.get('/api/dashboard', 'answer', async ({ agent }) => {
    const queues = may(agent.role, 'deadLetters') ? parts.queues : null;
    return readDashboard(store, queues, await readTimeZone(parts.hours));
  });
  routes.get('/api/dead/:queue/:id', 'deadLetters', async ({ agent }, request) => {
    const letter = await deadLetters.show(queueOf(request), param(request, 'id'));
    await auditDeadLetter(agent, 'read', letter);
    return letter;
  });
  for (const action of ['retry', 'discard'] as const) {
    routes.change('post', `/api/dead/:queue/:id/${action}`, 'deadLetters', async ({ agent }, request) => {
      const letter = await deadLetters.show(queueOf(request), param(request, 'id'));
      await deadLetters[action](letter.queue, letter.id);
      await auditDeadLetter(agent, action, letter);
    });
  }
}

const param = ({ params }: Request, name: string): string => {
  const value = params[name];
  return typeof value === 'string' ? value : '';
};

const textOf = (value: unknown): string => (typeof value === 'string' ? value.slice(0, 200) : '');

const numberOf = (value: unknown): number | null =>
  typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : null;

function queueOf({ params }: Request): 'inbox' | 'outbox' {
  if (params.queue === 'inbox' || params.queue === 'outbox') return params.queue;
  throw new DeskError('INVALID');
}
