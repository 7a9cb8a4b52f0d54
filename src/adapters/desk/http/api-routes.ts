import type { Request } from 'express';
import type { Shelf, StoredQueues } from '../../../delivery/index.js';
import type { Agents } from '../agents/agents.js';
import type { AgentView, DeskState, StateView, Summary } from '../api.js';
import type { Book } from '../book/index.js';
import { CLOSED_ID } from '../book/outgoing.js';
import { KIND } from '../book/record.js';
import type { Canned } from '../canned.js';
import { readDashboard } from '../dashboard.js';
import type { Live } from '../live.js';
import type { Parked } from '../parked.js';
import { DeskRefusal } from '../refuse.js';
import type { Teaching } from '../teach.js';
import type { Views } from '../views.js';
import { streamEvents } from './events.js';
import type { Guarded } from './routes.js';
import { cannedList, isAction, readAction, readBody, teachRequest } from './validate.js';
import type { Identify } from './who.js';

/** What the desk's API is made of. */
export interface ApiParts {
  readonly shelf: Shelf;
  readonly book: Book;
  readonly views: Views;
  readonly live: Live;
  readonly agents: Agents;
  readonly canned: Canned;
  readonly teaching: Teaching;
  readonly queues: StoredQueues | null;
  readonly parked: Parked;
  readonly identify: Identify;
  readonly canTeach: boolean;
}

const STATES: readonly DeskState[] = ['waiting', 'active', 'closed'];

/** Adds everything that the page asks for. */
export function addApiRoutes(routes: Guarded, parts: ApiParts): void {
  const { shelf, book, views, live, agents, canned, teaching, parked, identify } = parts;

  routes.get('/api/state', async ({ agent, token }): Promise<StateView> => {
    // Before the lists: what changes while they are read comes again live, and does no harm.
    const seq = await shelf.head();
    const counts = await shelf.count(KIND.conversation);
    return {
      me: agent,
      token,
      agents: await agents.list(),
      conversations: await views.current(),
      counts: { waiting: counts.waiting ?? 0, active: counts.active ?? 0, closed: counts.closed ?? 0 },
      canned: await canned.list(),
      seq,
      now: Date.now(),
      durable: parts.queues !== null,
      canTeach: parts.canTeach,
    };
  });
  routes.get('/api/agents', () => agents.list());
  routes.get('/api/events', (_who, request, response) => {
    const mayListen = async () => (await identify(request)) !== null;
    streamEvents(request, response, { live, mayListen });
  });
  routes.get('/api/conversations', (_who, { query }) => {
    const state = STATES.find((each) => each === query.state);
    const search = textOf(query.search);
    const before = numberOf(query.before);
    return views.list({
      ...(state && { state }),
      ...(search && { search }),
      ...(before !== null && { before }),
    });
  });
  routes.get('/api/conversations/:id', (_who, request) => views.conversation(param(request, 'id')));
  routes.get('/api/conversations/:id/entries', (_who, request) =>
    views.entries(param(request, 'id'), numberOf(request.query.before) ?? Number.MAX_SAFE_INTEGER),
  );
  routes.change('post', '/api/conversations/:id/:action', ({ agent }, request) =>
    act(parts, agent, param(request, 'id'), param(request, 'action'), request.body),
  );
  routes.get('/api/canned', () => canned.list());
  routes.change('put', '/api/canned', ({ agent }, { body }) =>
    canned.save(agent, readBody(cannedList, body)),
  );
  routes.get('/api/teach', () => teaching.view());
  routes.change('post', '/api/teach', ({ agent }, { body }) =>
    teaching.teach(agent, readBody(teachRequest, body)),
  );
  routes.get('/api/dashboard', () => readDashboard(shelf, parts.queues));
  routes.get('/api/dead/:queue/:id', (_who, request) => parked.show(queueOf(request), param(request, 'id')));
  for (const action of ['retry', 'discard'] as const) {
    routes.change('post', `/api/dead/:queue/:id/${action}`, async ({ agent }, request) => {
      const queue = queueOf(request);
      const id = param(request, 'id');
      await parked[action](queue, id);
      await book.audit.note(agent.id, `${action} of what was parked`, { detail: `${queue} ${id}` });
    });
  }
}

async function act(
  { book, agents, parked }: ApiParts,
  agent: AgentView,
  id: string,
  action: string,
  body: unknown,
): Promise<Summary> {
  if (!isAction(action)) throw new DeskRefusal('INVALID');
  const { agents: verbs, outbound } = book;
  switch (action) {
    case 'claim':
    case 'release':
      return verbs[action](agent, id);
    case 'transfer': {
      const { to } = readAction(action, body);
      if (!(await agents.get(to))) throw new DeskRefusal('NO_SUCH_AGENT');
      return verbs.transfer(agent, id, to);
    }
    case 'note':
      return verbs.note(agent, id, readAction(action, body).text);
    case 'read':
      return verbs.read(agent, id, readAction(action, body).customerMessages);
    case 'reply': {
      const { messageId, text } = readAction(action, body);
      const summary = await verbs.reply(agent, id, messageId, text);
      // The page hears by the journal what becomes of it: the service may take its time.
      void outbound.carry(id, messageId);
      return summary;
    }
    case 'retry':
      return parked.retryReply(agent, id, readAction(action, body).messageId);
    case 'close': {
      const summary = await verbs.close(agent, id);
      void outbound.carry(id, CLOSED_ID);
      return summary;
    }
  }
}

const param = ({ params }: Request, name: string): string => {
  const value = params[name];
  return typeof value === 'string' ? value : '';
};

const textOf = (value: unknown): string => (typeof value === 'string' ? value.slice(0, 200) : '');

function numberOf(value: unknown): number | null {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : null;
  return number;
}

function queueOf({ params }: Request): 'inbox' | 'outbox' {
  if (params.queue === 'inbox' || params.queue === 'outbox') return params.queue;
  throw new DeskRefusal('INVALID');
}
