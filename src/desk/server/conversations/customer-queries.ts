import type { Log } from '../../../internal/index.js';
import type { ConversationSummary, CustomerAttribute, CustomerDetailsView, CustomerView } from '../../api.js';
import { DeskError } from '../errors.js';
import { DOCUMENT_KIND, type DocumentStore } from '../store/index.js';
import { type ConversationRecords, summaryOf } from './conversation-records.js';

/**
 * Returns the application's details about a customer, shown beside the conversation. Values are shown as text; those
 * that are `null` or `undefined` are left out. It has three seconds.
 *
 * @example
 * createDesk({
 *   receiver,
 *   agents: 'stored',
 *   customer: async ({ userId }) => {
 *     const { plan, orders } = await crm.find(userId);
 *     return { Plan: plan, 'Last order': orders[0]?.number };
 *   },
 * });
 */
export type FindCustomer = (
  user: CustomerView,
  signal: AbortSignal,
) => Promise<Readonly<Record<string, unknown>> | null> | Readonly<Record<string, unknown>> | null;

/** Reads details of customers. */
export interface CustomerQueries {
  details(id: string): Promise<CustomerDetailsView>;
}

export interface CustomerQueriesParts {
  readonly store: DocumentStore;
  readonly records: ConversationRecords;
  readonly findCustomer: FindCustomer | null;
  readonly log: Log;
}

const TIMEOUT_MS = 3_000;
const MAX_HISTORY = 20;
const MAX_ATTRIBUTES = 50;
const MAX_TEXT = 500;

export function createCustomerQueries(parts: CustomerQueriesParts): CustomerQueries {
  const { store, records, findCustomer, log } = parts;

  const historyOf = async (key: string, except: string): Promise<ConversationSummary[]> => {
    const filter = { group: key, limit: MAX_HISTORY + 1 };
    const entries = await store.list(DOCUMENT_KIND.history, filter);
    const others = entries.filter(({ id }) => id !== except).slice(0, MAX_HISTORY);
    const found = await Promise.all(others.map(({ id }) => records.get(id)));
    return found.flatMap((each) => (each ? summaryOf(each.record, each.version) : []));
  };

  const attributesOf = async (user: CustomerView): Promise<CustomerAttribute[] | null> => {
    if (!findCustomer) return [];
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const aborted = new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    try {
      const found = await Promise.race([(async () => findCustomer(user, signal))(), aborted]);
      return Object.entries(found ?? {})
        .filter(([, value]) => value !== null && value !== undefined)
        .slice(0, MAX_ATTRIBUTES)
        .map(([name, value]) => ({ name: cut(name), value: cut(textOf(value)) }));
    } catch (err) {
      log.warn({ err }, 'the option customer of the desk failed or took longer than three seconds');
      return null;
    }
  };

  return {
    async details(id) {
      const found = await records.get(id);
      if (!found) throw new DeskError('NOT_FOUND');
      const { user } = found.record;
      const [history, attributes] = await Promise.all([historyOf(user.key, id), attributesOf(user)]);
      return { history, attributes };
    },
  };
}

const cut = (text: string): string => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text);

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value instanceof Date ? value.toISOString() : (JSON.stringify(value) ?? '');
}
