import {
  type AdapterCall,
  AdapterError,
  type AdapterHttpRequest,
  createAdapterHttp,
} from '../../bridge/index.js';
import type { Settled } from './settings.js';
import { type Fields, fieldsOf, listOf } from './shape.js';

/** An answer of RT's REST 2.0. */
export interface RestAnswer {
  /** The object that was answered; without fields when it was a list. */
  readonly body: Fields;
  /** The path of what was made, where RT tells. */
  readonly location: string | null;
  /** RT's clock, in milliseconds, or `null`. */
  readonly date: number | null;
}

/** RT's REST 2.0. Whatever goes wrong is an `AdapterError`. */
export interface Rest {
  (request: AdapterHttpRequest, call: Pick<AdapterCall, 'signal'>): Promise<RestAnswer>;
  /** One page of a search. */
  search(search: Search, call: Pick<AdapterCall, 'signal'>): Promise<Found>;
}

/** What to look for. */
export interface Search {
  readonly what: 'tickets' | 'transactions';
  /** In RT's TicketSQL or TransactionSQL. What comes from others must be quoted. */
  readonly query: string;
  readonly fields: readonly string[];
  readonly newestFirst?: boolean;
  readonly limit: number;
}

/** What was found. */
export interface Found {
  readonly items: readonly Fields[];
  readonly date: number | null;
}

const SYSTEM = 'Request Tracker';

/** Makes the client of RT's REST 2.0. */
export function createRest({ url, token, timeoutMs, fetch = globalThis.fetch }: Settled): Rest {
  const client = (seen: (response: Response) => void) =>
    createAdapterHttp({
      system: SYSTEM,
      baseUrl: `${url}/REST/2.0`,
      headers: { authorization: `token ${token}`, accept: 'application/json' },
      timeoutMs,
      fetch: async (input, init) => {
        const response = await fetch(input, init);
        seen(response);
        return response;
      },
    });
  // Refuses a wrong address now rather than at the first request.
  client(() => {});

  const ask = async (request: AdapterHttpRequest, call: Pick<AdapterCall, 'signal'>): Promise<RestAnswer> => {
    let headers = new Headers();
    const http = client((response) => {
      headers = response.headers;
    });
    const isJson = (): boolean => /\bjson\b/i.test(headers.get('content-type') ?? '');
    const { body } = await http(request, call).catch((error: unknown) => {
      throw error instanceof AdapterError ? explained(error, isJson()) : error;
    });
    if (!isJson() || typeof body === 'string') {
      throw new AdapterError('invalid', `${SYSTEM} did not answer with JSON: ${WRONG_ADDRESS}`);
    }
    const date = Date.parse(headers.get('date') ?? '');
    return {
      body: fieldsOf(body),
      location: headers.get('location'),
      date: Number.isNaN(date) ? null : date,
    };
  };

  const search: Rest['search'] = async ({ what, query, fields, newestFirst = false, limit }, call) => {
    const parameters = new URLSearchParams({
      query,
      fields: fields.join(','),
      orderby: 'id',
      order: newestFirst ? 'DESC' : 'ASC',
      per_page: String(limit),
    });
    const { body, date } = await ask({ method: 'GET', path: `/${what}?${parameters.toString()}` }, call);
    return { items: listOf(body.items), date };
  };

  return Object.assign(ask, { search });
}

const WRONG_ADDRESS = 'is the address the one at which agents open RT, with its path?';

/** Says what an operator can do, where RT's status alone does not. */
function explained(error: AdapterError, isJson: boolean): AdapterError {
  const { kind, message, retryAfterMs } = error;
  // RT's own 404 is JSON. Any other comes from a web server that has no RT at this address.
  if (kind === 'gone' && !isJson) return new AdapterError('invalid', `${message} ${WRONG_ADDRESS}`);
  if (kind !== 'auth') return error;
  const advice = message.endsWith('401.')
    ? 'The token is not accepted: it may have been revoked.'
    : 'The user of the token lacks a right, or what was asked for does not exist: RT does not tell which.';
  return new AdapterError('auth', `${message} ${advice}`, { retryAfterMs });
}

/** A value in a search, as RT reads it. */
export const quoted = (value: string): string => `'${value.replace(/[\\']/g, '\\$&')}'`;
