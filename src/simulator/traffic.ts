import { performance } from 'node:perf_hooks';
import type { SimulatedAgents } from './agents.js';
import type { Clock } from './clock.js';
import { createEmitter } from './emitter.js';
import type { DeliveryEvent, ServiceEndpoint } from './faults.js';

/** Characters of a body that the log keeps. */
const BODY_KEPT = 4_000;

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A request and its answer, as the log keeps it: secrets masked, long bodies cut. */
export interface RecordedExchange {
  /** Counts up from 1. */
  readonly id: number;
  /** When the request was made, in milliseconds. */
  readonly at: number;
  /** `sent` by the simulated service, or `received` by it. */
  readonly direction: 'sent' | 'received';
  /** What was delivered, which endpoint was called, or `file` for a fetched knowledge file. */
  readonly what: DeliveryEvent | ServiceEndpoint | 'file';
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** The faults that struck. */
  readonly faults: readonly string[];
  /** The answer, or null while there is none. */
  readonly answer: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
    readonly latencyMs: number;
  } | null;
  /** Why there will be no answer. */
  readonly error: string | null;
}

/** What is known when a request starts. */
interface ExchangeStart extends Pick<RecordedExchange, 'direction' | 'what' | 'method' | 'url'> {
  headers: Headers;
  body?: string;
  faults?: readonly string[];
}

/** An exchange that is under way. */
export interface ExchangeRecorder {
  /** The request's body, once it was read. */
  body: (body: string) => void;
  /** A fault struck. */
  fault: (name: string) => void;
  /** The answer. */
  answered: (status: number, headers: Headers, body: string) => void;
  /** There will be no answer. */
  failed: (error: string) => void;
}

/** The log of every request and answer in both directions. It keeps the newest. */
export interface TrafficLog {
  /** What the log holds, oldest first. */
  exchanges: () => readonly RecordedExchange[];
  /** Tells of each exchange when it starts and whenever more of it is known. */
  onChange: (listener: (exchange: RecordedExchange) => void) => () => void;
  /** Empties the log. */
  clear: () => void;
}

/** The log, and the way to write in it. */
export interface TrafficRecorder extends TrafficLog {
  /** Notes that a request starts. */
  open: (start: ExchangeStart) => ExchangeRecorder;
}

/** Makes a log that holds up to `limit` exchanges. */
export function createTrafficRecorder(options: {
  clock: Clock;
  mask: SecretMask;
  limit: number;
}): TrafficRecorder {
  const { clock, mask, limit } = options;
  const changed = createEmitter<RecordedExchange>();
  const kept = new Map<number, RecordedExchange>();
  let lastId = 0;

  const shorten = (body: string) => {
    const masked = mask.text(body);
    return masked.length <= BODY_KEPT ? masked : `${masked.slice(0, BODY_KEPT)}…`;
  };

  const put = (exchange: RecordedExchange) => {
    kept.set(exchange.id, exchange);
    for (const id of kept.keys()) {
      if (kept.size <= limit) break;
      kept.delete(id);
    }
    changed.emit(exchange);
  };

  const open = ({ headers, body, faults = [], ...start }: ExchangeStart): ExchangeRecorder => {
    const began = performance.now();
    lastId += 1;
    let current: RecordedExchange = {
      ...start,
      id: lastId,
      at: clock.now(),
      url: mask.url(start.url),
      headers: mask.headers(headers),
      body: body === undefined ? null : shorten(body),
      faults,
      answer: null,
      error: null,
    };
    const change = (more: Partial<RecordedExchange>) => {
      current = { ...current, ...more };
      put(current);
    };
    put(current);
    return {
      body: (text) => change({ body: shorten(text) }),
      fault: (name) => change({ faults: [...current.faults, name] }),
      failed: (error) => change({ error }),
      answered: (status, answerHeaders, answerBody) =>
        change({
          answer: {
            status,
            headers: mask.headers(answerHeaders),
            body: shorten(answerBody),
            latencyMs: Math.round(performance.now() - began),
          },
        }),
    };
  };

  return {
    open,
    exchanges: () => [...kept.values()],
    onChange: changed.subscribe,
    clear: () => kept.clear(),
  };
}

const MASK = '****';

/** Headers whose values say nothing secret; every other value is masked. */
const PLAIN_HEADERS = new Set(
  'accept allow cache-control connection content-encoding content-length content-type date host keep-alive retry-after transfer-encoding user-agent www-authenticate'.split(
    ' ',
  ),
);

/** A secret shorter than this would turn half the log into asterisks. */
const SHORTEST_SECRET = 6;

/** A path segment of at least this length is taken for a token that keeps strangers out. */
const TOKEN_SEGMENT = /^[\w-]{16,}$/;

/** Takes secrets out of what is logged and shown. */
export interface SecretMask {
  /** Text with every configured key, secret and header value replaced. */
  text: (text: string) => string;
  /** A URL without its user, its query's values and its token-like path segments. */
  url: (url: string) => string;
  /** Headers by lower-case name, with the values of all but harmless ones replaced. */
  headers: (
    headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  ) => Record<string, string>;
}

/** Makes the mask for the secrets that the agents have at the moment of use. */
export function createSecretMask(agents: SimulatedAgents): SecretMask {
  const secrets = () =>
    agents
      .list()
      .flatMap(({ apiKey, message, humanServices }) => [
        apiKey,
        message?.secret,
        ...humanServices.flatMap(({ secret, headers }) => [secret, ...Object.values(headers)]),
      ])
      .filter((secret) => secret !== undefined)
      .filter((secret) => secret.length >= SHORTEST_SECRET);

  const text = (value: string) =>
    secrets().reduce((masked, secret) => masked.replaceAll(secret, MASK), value);
  return { text, url: (url) => text(maskUrl(url)), headers: maskHeaders };
}

function maskUrl(url: string): string {
  const base = 'http://base.invalid';
  if (!URL.canParse(url, base)) return MASK;
  const parsed = new URL(url, base);
  const path = parsed.pathname
    .split('/')
    .map((segment) => (TOKEN_SEGMENT.test(segment) ? `${segment.slice(0, 3)}${MASK}` : segment))
    .join('/');
  const query = [...parsed.searchParams.keys()].map((name) => `${name}=${MASK}`).join('&');
  return `${parsed.origin === base ? '' : parsed.origin}${path}${query ? `?${query}` : ''}`;
}

function maskHeaders(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): Record<string, string> {
  const shown = Object.entries(headers).flatMap(([name, value]): [string, string][] => {
    if (value === undefined) return [];
    const whole = typeof value === 'string' ? value : value.join(', ');
    return [[name.toLowerCase(), maskHeader(name.toLowerCase(), whole)]];
  });
  return Object.fromEntries(shown);
}

function maskHeader(name: string, value: string): string {
  if (PLAIN_HEADERS.has(name)) return value;
  const scheme = name === 'authorization' ? /^(Bearer|Basic) /i.exec(value)?.[0] : undefined;
  return `${scheme ?? ''}${MASK}`;
}
