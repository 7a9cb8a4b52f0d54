import {
  type AdapterCall,
  AdapterError,
  type AdapterHttpRequest,
  asObject,
  asObjects,
  createAdapterHttp,
  type JsonObject,
} from '../../bridge/index.js';
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
      helpdesk: SYSTEM,
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

/** A string or number as text, otherwise empty. RT writes ids as numbers in some places and as text in others. */
export const asText = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';

/** An RT id, which is a positive integer, as a string; `null` when the value is not one. */
export const asId = (value: unknown): string | null => {
  const id = asText(value);
  return /^[1-9]\d{0,18}$/.test(id) ? id : null;
};

/** A flag, which RT writes as `1`, `"1"` or `true`. */
export const asFlag = (value: unknown): boolean => value === true || asText(value) === '1';

/**
 * The id of the last message in an active ticket, or `null` when the ticket is closed. Comments and mails are left
 * out: they can be hidden from us, and a hidden last one would look like a closed ticket.
 */
export async function lastMessageId(
  rest: RestClient,
  ticket: string,
  call: AdapterCall,
): Promise<string | null> {
  const { items } = await rest.search(
    {
      type: 'transactions',
      // RT's lifecycles define which statuses are active; they differ between queues.
      query: `TicketId = ${ticket} AND TicketStatus = '__Active__' AND (Type = 'Create' OR Type = 'Correspond')`,
      fields: ['Type'],
      newestFirst: true,
      limit: 1,
    },
    call,
  );
  return asId(items[0]?.id);
}

/** The status of a ticket. Fails with `gone` for a missing ticket, and with `auth` for one that we may not see. */
export async function statusOf(rest: RestClient, ticket: string, call: AdapterCall): Promise<string> {
  const { body } = await rest({ method: 'GET', path: `/ticket/${ticket}` }, call);
  return asText(body.Status);
}

/** Validates the id of a ticket before it goes into a path. */
export function ticketIdOf(externalId: string): string {
  const id = asId(externalId);
  if (id) return id;
  throw new AdapterError('invalid', 'Request Tracker numbers its tickets; this id is not a number.');
}
