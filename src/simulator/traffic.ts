import { performance } from 'node:perf_hooks';
import type { SimulatedBots } from './bots.js';
import type { Clock } from './clock.js';
import { createEmitter } from './emitter.js';
import type { DeliveryEvent, PlatformEndpoint } from './faults.js';

/** How many characters of a body are kept. */
const MAX_BODY_CHARS = 4_000;

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A request and its answer in the traffic log, with secrets masked and long bodies cut. */
export interface RecordedExchange {
  /** Counts up from 1. */
  readonly id: number;
  /** When the request was made, in milliseconds. */
  readonly at: number;
  /** `sent` or `received` by the simulated platform. */
  readonly direction: 'sent' | 'received';
  /** The kind of delivery, the called endpoint, or `file` for the download of a knowledge file. */
  readonly what: DeliveryEvent | PlatformEndpoint | 'file';
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** The faults that applied. */
  readonly faults: readonly string[];
  /** The answer; `null` while there is none. */
  readonly answer: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
    readonly latencyMs: number;
  } | null;
  /** Why the request failed without an answer. */
  readonly error: string | null;
}

/** The fields known when a request starts. */
interface ExchangeStart extends Pick<RecordedExchange, 'direction' | 'what' | 'method' | 'url'> {
  headers: Headers;
  body?: string;
  faults?: readonly string[];
}

/** Completes an exchange in the log. */
export interface ExchangeRecorder {
  /** Records the request's body once it has been read. */
  body: (body: string) => void;
  /** Records that a fault applied. */
  fault: (name: string) => void;
  /** Records the answer. */
  answered: (status: number, headers: Headers, body: string) => void;
  /** Records that there will be no answer. */
  failed: (error: string) => void;
}

/** The newest requests and answers in both directions. */
export interface TrafficLog {
  /** The recorded exchanges, oldest first. */
  exchanges: () => readonly RecordedExchange[];
  /** Calls the listener when an exchange starts and whenever it changes. The returned function removes it. */
  onChange: (listener: (exchange: RecordedExchange) => void) => () => void;
  clear: () => void;
}

/** The writable side of the {@link TrafficLog}. */
export interface TrafficRecorder extends TrafficLog {
  /** Records the start of a request. */
  open: (start: ExchangeStart) => ExchangeRecorder;
}

/** Creates a log of up to `limit` exchanges. */
export function createTrafficRecorder(options: {
  clock: Clock;
  mask: SecretMask;
  limit: number;
}): TrafficRecorder {
  const { clock, mask, limit } = options;
  const changed = createEmitter<RecordedExchange>();
  const entries = new Map<number, RecordedExchange>();
  let lastId = 0;

  const shorten = (body: string) => {
    const masked = mask.text(body);
    return masked.length <= MAX_BODY_CHARS ? masked : `${masked.slice(0, MAX_BODY_CHARS)}…`;
  };

  const put = (exchange: RecordedExchange) => {
    entries.set(exchange.id, exchange);
    for (const id of entries.keys()) {
      if (entries.size <= limit) break;
      entries.delete(id);
    }
    changed.emit(exchange);
  };

  const open = ({ headers, body, faults = [], ...start }: ExchangeStart): ExchangeRecorder => {
    const startedAt = performance.now();
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
            latencyMs: Math.round(performance.now() - startedAt),
          },
        }),
    };
  };

  return {
    open,
    exchanges: () => [...entries.values()],
    onChange: changed.subscribe,
    clear: () => entries.clear(),
  };
}

const MASK = '****';

/** Headers without secrets; the values of all others are masked. */
const PLAIN_HEADERS = new Set(
  'accept allow cache-control connection content-encoding content-length content-type date host keep-alive retry-after transfer-encoding user-agent www-authenticate'.split(
    ' ',
  ),
);

/** Shorter secrets are not masked: they would match ordinary text. */
const MIN_SECRET_LENGTH = 6;

/** Path segments of at least 16 characters are treated as secret tokens. */
const TOKEN_SEGMENT = /^[\w-]{16,}$/;

/** Removes secrets from logged text. */
interface SecretMask {
  /** Text with every configured key, secret and header value replaced. */
  text: (text: string) => string;
  /** A URL without its user, query values and token-like path segments. */
  url: (url: string) => string;
  /** Headers by lower-case name, with all values masked except harmless ones. */
  headers: (
    headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  ) => Record<string, string>;
}

/** Always masks the bots' current secrets. */
export function createSecretMask(bots: SimulatedBots): SecretMask {
  const secrets = () =>
    bots
      .list()
      .flatMap(({ apiKey, message, humanServices }) => [
        apiKey,
        message?.secret,
        ...humanServices.flatMap(({ secret, headers }) => [secret, ...Object.values(headers)]),
      ])
      .filter((secret) => secret !== undefined)
      .filter((secret) => secret.length >= MIN_SECRET_LENGTH);

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
    const text = typeof value === 'string' ? value : value.join(', ');
    return [[name.toLowerCase(), maskHeader(name.toLowerCase(), text)]];
  });
  return Object.fromEntries(shown);
}

function maskHeader(name: string, value: string): string {
  if (PLAIN_HEADERS.has(name)) return value;
  const scheme = name === 'authorization' ? /^(Bearer|Basic) /i.exec(value)?.[0] : undefined;
  return `${scheme ?? ''}${MASK}`;
}
