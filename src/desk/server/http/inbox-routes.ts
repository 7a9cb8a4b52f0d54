import type { QueueAdmin } from '../../../delivery/index.js';
import type { CustomerQueries } from '../conversations/customer-queries.js';
import { DeskError } from '../errors.js';
import { type ReportRange, readReport, readReportCsv } from '../report.js';
import type { SavedFilters } from '../settings.js';
import type { Presence } from '../signals.js';
import type { DocumentStore } from '../store/index.js';
import type { AgentRoutes } from './agent-routes.js';
import { filterList, presenceRequest, readBody } from './validate.js';

export interface InboxParts {
  readonly store: DocumentStore;
  readonly queues: QueueAdmin | null;
  readonly customers: CustomerQueries;
  readonly filters: SavedFilters;
  readonly presence: Presence;
}

/** Adds the routes around conversations: customer details, saved filters, presence and reports. */
export function addInboxRoutes(routes: AgentRoutes, parts: InboxParts): void {
  const { store, queues, customers, filters, presence } = parts;
  routes.get('/api/conversations/:id/customer', 'answer', (_current, { params }) =>
    customers.details(String(params.id)),
  );
  routes.change('put', '/api/filters', 'answer', ({ agent }, { body }) =>
    filters.save(agent, readBody(filterList, body).filters),
  );
  routes.change('post', '/api/presence', 'answer', ({ agent }, { body }) =>
    presence.set(agent.id, readBody(presenceRequest, body)),
  );
  routes.get('/api/report', 'readReport', (_current, { query }) => readReport(store, queues, rangeOf(query)));
  routes.get('/api/report.csv', 'readReport', async (_current, { query }, response) => {
    const { from, to } = rangeOf(query);
    const csv = await readReportCsv(store, { from, to });
    const day = (at: number) => new Date(at).toISOString().slice(0, 10);
    response
      .attachment(`conversations ${day(from)} to ${day(to - 1)}.csv`)
      .type('text/csv')
      .send(csv);
  });
}

const MAX_RANGE_MS = 400 * 86_400_000;

function rangeOf(query: Readonly<Record<string, unknown>>): ReportRange {
  const [from, to] = [Number(query.from), Number(query.to)];
  const isRange = Number.isSafeInteger(from) && Number.isSafeInteger(to) && from >= 0 && to > from;
  if (!isRange || to - from > MAX_RANGE_MS || to > 8e15) throw new DeskError('INVALID');
  return { from, to };
}
