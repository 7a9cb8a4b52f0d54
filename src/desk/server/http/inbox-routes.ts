import { z } from 'zod';
import type { QueueAdmin } from '../../../delivery/index.js';
import { customerDetailsView, reportView, savedFilter } from '../../api.js';
import type { CustomerQueries } from '../conversations/customer-queries.js';
import { DeskError } from '../errors.js';
import type { Hours } from '../hours.js';
import { type ReportRange, readReport, readReportCsv } from '../report.js';
import type { SavedFilters } from '../settings.js';
import type { Presence } from '../signals.js';
import type { DocumentStore } from '../store/index.js';
import { readTimeZone } from '../time-zone.js';
import type { AgentRoutes } from './agent-routes.js';
import { filterList, presenceRequest, queryText } from './validate.js';

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
  routes.get(
    '/api/conversations/:id/customer',
    'answer',
    { summary: "Details about a conversation's user", answer: customerDetailsView },
    (_call, { params }) => customers.details(String(params.id)),
  );
  routes.change(
    'put',
    '/api/filters',
    'answer',
    { summary: 'Replaces your saved filters', body: filterList, answer: z.array(savedFilter) },
    ({ agent, body }) => filters.save(agent, body.filters),
  );
  routes.change(
    'post',
    '/api/presence',
    'answer',
    { summary: 'Says which conversation you are viewing', body: presenceRequest },
    ({ agent, body }) => presence.set(agent.id, body),
  );
  const rangeOf = async ({ from, to }: z.output<typeof reportQuery>): Promise<ReportRange> => ({
    ...checkRange(from, to),
    timeZone: await readTimeZone(hours),
  });
  routes.get(
    '/api/report',
    'readReport',
    {
      summary: 'Numbers of the conversations requested in a range of days',
      query: reportQuery,
      answer: reportView,
    },
    async ({ query }) => readReport(store, queues, await rangeOf(query)),
  );
  routes.get(
    '/api/report.csv',
    'readReport',
    { summary: 'The same conversations one by one', query: reportQuery, answer: 'text/csv' },
    async ({ query }, _request, response) => {
      const range = await rangeOf(query);
      const csv = await readReportCsv(store, range);
      response.attachment(`conversations ${range.from} to ${range.to}.csv`).type('text/csv').send(csv);
    },
  );
}

const reportQuery = z.object({
  from: queryText.describe("The first day, such as `2026-03-02`, in the desk's time zone."),
  to: queryText.describe('The last day.'),
});

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
