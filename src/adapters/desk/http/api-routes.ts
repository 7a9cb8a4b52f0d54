import type { Request } from 'express';
import type { QueueAdmin } from '../../../delivery/index.js';
import { DEFAULT_AGENT } from '../../../events/index.js';
import type { Agents } from '../agents/agents.js';
import { may, permissionsOf } from '../agents/roles.js';
import type { Teams } from '../agents/teams.js';
import type {
  AgentView,
  ConversationStatus,
  ConversationSummary,
  DeadLetterView,
  StateView,
} from '../api.js';
import type { Assigner } from '../assignment/assigner.js';
import type { Availability } from '../assignment/availability.js';
import type { CannedReplies } from '../canned-replies.js';
import type { ConversationQueries } from '../conversation-queries.js';
import type { DeskConversations } from '../conversations/index.js';
import { CLOSE_MESSAGE_ID } from '../conversations/outgoing-items.js';
import { readDashboard } from '../dashboard.js';
import type { DeadLetters } from '../dead-letters.js';
import { DeskError } from '../errors.js';
import type { LiveUpdates } from '../live-updates.js';
import { mentionsIn } from '../mentions.js';
import type { SavedFilters } from '../saved-filters.js';
import type { Signals } from '../signals.js';
import { DOCUMENT_KIND, type DocumentStore } from '../store/index.js';
import type { Teaching } from '../teaching.js';
import type { AgentRoutes } from './agent-routes.js';
import type { FindCurrentAgent } from './current-agent.js';
import { type OpenStreams, streamUpdates } from './event-stream.js';
import { cannedList, isAction, readAction, readBody, teachRequest, unteachRequest } from './validate.js';

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
  /** The names of the platform's agents. */
  readonly aiAgents: readonly string[];
  readonly canTeach: boolean;
  readonly availability: Availability;
  readonly assigner: Assigner;
}

const STATES: readonly ConversationStatus[] = ['waiting', 'active', 'closed'];

/** Adds the routes of the desk's API. */
export function addApiRoutes(routes: AgentRoutes, parts: ApiParts): void {
  const { store, conversations, queries, updates, agents, canned, teaching, deadLetters, findAgent } = parts;

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
      aiAgents: parts.aiAgents,
      conversations: await queries.current(agent.id),
      counts: { waiting: counts.waiting ?? 0, active: counts.active ?? 0, closed: counts.closed ?? 0 },
      canned: await canned.list(),
      filters: await parts.filters.list(agent),
      seq,
      now: Date.now(),
      durable: parts.queues !== null,
      canTeach: parts.canTeach && may(agent.role, 'teach'),
    };
  });
  routes.get('/api/agents', 'answer', () => agents.list());
  const open: OpenStreams = new Map();
  routes.get('/api/events', 'answer', ({ agent, session }, request, response) => {
    const hasSession = async () => (await findAgent(request)) !== null;
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
      ...(before !== null && { before }),
    });
  });
  routes.get('/api/conversations/:id', 'answer', (_current, request) =>
    queries.conversation(param(request, 'id')),
  );
  routes.get('/api/conversations/:id/entries', 'answer', (_current, request) =>
    queries.entries(param(request, 'id'), numberOf(request.query.before) ?? Number.MAX_SAFE_INTEGER),
  );
  routes.change('post', '/api/conversations/:id/:action', 'answer', async ({ agent }, request) => {
    const action = param(request, 'action');
    const summary = await act(parts, agent, param(request, 'id'), action, request.body);
    if (action !== 'read') parts.assigner.kick();
    return summary;
  });
  routes.get('/api/canned', 'answer', () => canned.list());
  routes.change('put', '/api/canned', 'editCanned', ({ agent }, { body }) =>
    canned.save(agent, readBody(cannedList, body)),
  );
  routes.get('/api/teach', 'answer', (_current, { query }) =>
    teaching.view(textOf(query.aiAgent) || DEFAULT_AGENT),
  );
  routes.change('post', '/api/teach', 'teach', ({ agent }, { body }) =>
    teaching.teach(agent, readBody(teachRequest, body)),
  );
  routes.change('post', '/api/teach/remove', 'teach', ({ agent }, { body }) =>
    teaching.remove(agent, readBody(unteachRequest, body)),
  );
  routes.get('/api/dashboard', 'answer', ({ agent }) =>
    readDashboard(store, may(agent.role, 'deadLetters') ? parts.queues : null),
  );
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

async function act(
  { conversations, agents, teams, deadLetters }: ApiParts,
  agent: AgentView,
  id: string,
  action: string,
  body: unknown,
): Promise<ConversationSummary> {
  if (!isAction(action)) throw new DeskError('INVALID');
  const { agentActions, sender } = conversations;
  switch (action) {
    case 'claim':
    case 'release':
      return agentActions[action](agent, id);
    case 'transfer': {
      const { to } = readAction(action, body);
      if (!(await agents.get(to))) throw new DeskError('NO_SUCH_AGENT');
      return agentActions.transfer(agent, id, to);
    }
    case 'note': {
      const { messageId, text } = readAction(action, body);
      const named = mentionsIn(text, await agents.list(), (await teams.list()).teams);
      const mentions = named.filter((each) => each !== agent.id);
      return agentActions.note(agent, id, { messageId, text, mentions });
    }
    case 'pass': {
      const wanted = readAction(action, body).team;
      const team = (await teams.list()).teams.find((each) => each.id === wanted);
      if (!team) throw new DeskError('NO_SUCH_TEAM');
      return agentActions.pass(agent, id, team);
    }
    case 'tag': {
      const { add, remove } = readAction(action, body);
      return agentActions.tag(agent, id, add, remove);
    }
    case 'priority':
      return agentActions.prioritise(agent, id, readAction(action, body).priority);
    case 'snooze':
      return agentActions.snooze(agent, id, readAction(action, body).until);
    case 'read':
      return agentActions.read(agent, id, readAction(action, body));
    case 'reply': {
      const { messageId, text } = readAction(action, body);
      const summary = await agentActions.reply(agent, id, messageId, text);
      // Not awaited, since the platform may be slow. The page gets the delivery state as a live update.
      void sender.send(id, messageId);
      return summary;
    }
    case 'retry':
      return deadLetters.retryReply(agent, id, readAction(action, body).messageId);
    case 'close': {
      const summary = await agentActions.close(agent, id);
      void sender.send(id, CLOSE_MESSAGE_ID);
      return summary;
    }
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
