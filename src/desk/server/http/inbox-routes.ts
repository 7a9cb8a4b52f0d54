import type { QueueAdmin } from '../../../delivery/index.js';
import type { CustomerQueries } from '../conversations/customer-queries.js';
import { DeskError } from '../errors.js';
import type { Hours } from '../hours.js';
import { type ReportRange, readReport, readReportCsv } from '../report.js';
import type { SavedFilters } from '../settings.js';
import type { Presence } from '../signals.js';
import type { DocumentStore } from '../store/index.js';
import { readTimeZone } from '../time-zone.js';
import type { AgentRoutes } from './agent-routes.js';
import { filterList, presenceRequest, readBody } from './validate.js';

export interface InboxParts {
  readonly store: DocumentStore;
  readonly queues: QueueAdmin | null;
  readonly customers: CustomerQueries;
  readonly filters: SavedFilters;
  readonly presence: Presence;
  readonly hours: Hours;
}

/** Adds the routes around conversations: customer details, saved filters, presence and reports. */
export function addInboxRoutes(routes: AgentRoutes, parts: InboxParts): void {
  const { store, queues, customers, filters, presence, hours } = parts;
  routes.get('/api/conversations/:id/customer', 'answer', (_current, { params }) =>
    customers.details(String(params.id)),
  );
  routes.change('put', '/api/filters', 'answer', ({ agent }, { body }) =>
    filters.save(agent, readBody(filterList, body).filters),
  );
  routes.change('post', '/api/presence', 'answer', ({ agent }, { body }) =>
    presence.set(agent.id, readBody(presenceRequest, body)),
  );
  const rangeOf = async ({ from, to }: Readonly<Record<string, unknown>>): Promise<ReportRange> => ({
    ...checkRange(from, to),
    timeZone: await readTimeZone(hours),
  });
  routes.get('/api/report', 'readReport', async (_current, { query }) =>
    readReport(store, queues, await rangeOf(query)),
  );
  routes.get('/api/report.csv', 'readReport', async (_current, { query }, response) => {
    const range = await rangeOf(query);
    const csv = await readReportCsv(store, range);
    response.attachment(`conversations ${range.from} to ${range.to}.csv`).type('text/csv').send(csv);
  });
}

const MAX_RANGE_MS = 400 * 86_400_000;

function checkRange(from: unknown, to: unknown): { readonly from: string; readonly to: string } {
  if (!isDay(from) || !isDay(to) || to < from) throw new DeskError('INVALID');
  if (Date.parse(to) - Date.parse(from) > MAX_RANGE_MS) throw new DeskError('INVALID');
  return { from, to };
}

/** Whether a text is a day that exists. */
const isDay = (text: unknown): text is string =>
  typeof text === 'string' &&
  /^20\d\d-\d\d-\d\d$/.test(text) &&
  !Number.isNaN(Date.parse(text)) &&
  new Date(text).toISOString().startsWith(text);
