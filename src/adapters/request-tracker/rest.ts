import {
  type AdapterCall,
  AdapterError,
  type AdapterHttpRequest,
  createAdapterHttp,
} from '../../bridge/index.js';
import { asObject, asObjects, type JsonObject } from './json.js';
import type { CheckedSettings } from './settings.js';

/** A response of RT's REST 2.0 interface. */
export interface RestResponse {
  /** The object in the response; empty when it was a list. */
  readonly body: JsonObject;
  /** The path of the created record, or `null`. */
  readonly location: string | null;
  /** RT's clock, in milliseconds, or `null`. */
  readonly date: number | null;
}

/** A client of RT's REST 2.0 interface. Every failure is an `AdapterError`. */
export interface RestClient {
  (request: AdapterHttpRequest, call: Pick<AdapterCall, 'signal'>): Promise<RestResponse>;
  /** Returns the first page of a search. */
  search(search: RestSearch, call: Pick<AdapterCall, 'signal'>): Promise<SearchResult>;
}

/** A search for tickets or transactions. */
export interface RestSearch {
  readonly type: 'tickets' | 'transactions';
  /** In RT's TicketSQL or TransactionSQL. Quote untrusted values with {@link quoted}. */
  readonly query: string;
  readonly fields: readonly string[];
  readonly newestFirst?: boolean;
  readonly limit: number;
}

/** The result of a search. */
export interface SearchResult {
  readonly items: readonly JsonObject[];
  /** RT's clock, in milliseconds, or `null`. */
  readonly date: number | null;
}

const SYSTEM = 'Request Tracker';

export function createRestClient({
  url,
  token,
  timeoutMs,
  fetch = globalThis.fetch,
}: CheckedSettings): RestClient {
  const createHttp = (onResponse: (response: Response) => void) =>
    createAdapterHttp({
      system: SYSTEM,
      baseUrl: `${url}/REST/2.0`,
      headers: { authorization: `token ${token}`, accept: 'application/json' },
      timeoutMs,
      fetch: async (input, init) => {
        const response = await fetch(input, init);
        onResponse(response);
        return response;
      },
    });
  // Validates the address now rather than at the first request.
  createHttp(() => {});

  const send = async (
    request: AdapterHttpRequest,
    call: Pick<AdapterCall, 'signal'>,
  ): Promise<RestResponse> => {
    let headers = new Headers();
    const http = createHttp((response) => {
      headers = response.headers;
    });
    const isJson = (): boolean => /\bjson\b/i.test(headers.get('content-type') ?? '');
    const { body } = await http(request, call).catch((error: unknown) => {
      throw error instanceof AdapterError ? explainError(error, isJson()) : error;
    });
    if (!isJson() || typeof body === 'string') {
      throw new AdapterError('invalid', `${SYSTEM} did not answer with JSON: ${WRONG_ADDRESS}`);
    }
    const date = Date.parse(headers.get('date') ?? '');
    return {
      body: asObject(body),
      location: headers.get('location'),
      date: Number.isNaN(date) ? null : date,
    };
  };

  const search: RestClient['search'] = async ({ type, query, fields, newestFirst = false, limit }, call) => {
    const parameters = new URLSearchParams({
      query,
      fields: fields.join(','),
      orderby: 'id',
      order: newestFirst ? 'DESC' : 'ASC',
      per_page: String(limit),
    });
    const { body, date } = await send({ method: 'GET', path: `/${type}?${parameters.toString()}` }, call);
    return { items: asObjects(body.items), date };
  };

  return Object.assign(send, { search });
}

const WRONG_ADDRESS = 'is the address the one at which agents open RT, with its path?';

/** Adds advice for operators where RT's status alone is not enough. */
function explainError(error: AdapterError, isJson: boolean): AdapterError {
  const { kind, message, retryAfterMs } = error;
  // RT's own 404 is JSON. Any other comes from a web server without RT at this address.
  if (kind === 'gone' && !isJson) return new AdapterError('invalid', `${message} ${WRONG_ADDRESS}`);
  if (kind !== 'auth') return error;
  const advice = message.endsWith('401.')
    ? 'RT does not accept the token: it may have been revoked.'
    : 'The user of the token lacks a right, or the record does not exist: RT does not tell which.';
  return new AdapterError('auth', `${message} ${advice}`, { retryAfterMs });
}

/** A string literal in TicketSQL. */
export const quoted = (value: string): string => `'${value.replace(/[\\']/g, '\\$&')}'`;
