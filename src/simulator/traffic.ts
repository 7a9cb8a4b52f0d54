import { performance } from 'node:perf_hooks';
import type { Clock } from './clock.js';
import type { DeliveryEvent, ServiceEndpoint } from './faults.js';
import { createListeners } from './listeners.js';
import type { Mask } from './mask.js';

/** Characters of a body that the log keeps. */
const BODY_KEPT = 4_000;

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A request and its answer, as the log keeps it: secrets masked, long bodies cut. */
export interface Exchange {
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
interface ExchangeStart extends Pick<Exchange, 'direction' | 'what' | 'method' | 'url'> {
  headers: Headers;
  body?: string;
  faults?: readonly string[];
}

/** An exchange that is under way. */
export interface OpenExchange {
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
export interface Traffic {
  /** What the log holds, oldest first. */
  exchanges: () => readonly Exchange[];
  /** Tells of each exchange when it starts and whenever more of it is known. */
  onChange: (listener: (exchange: Exchange) => void) => () => void;
  /** Empties the log. */
  clear: () => void;
}

/** The log, and the way to write in it. */
export interface TrafficLog extends Traffic {
  /** Notes that a request starts. */
  open: (start: ExchangeStart) => OpenExchange;
}

/** Makes a log that holds up to `limit` exchanges. */
export function createTraffic(options: { clock: Clock; mask: Mask; limit: number }): TrafficLog {
  const { clock, mask, limit } = options;
  const changed = createListeners<Exchange>();
  const kept = new Map<number, Exchange>();
  let lastId = 0;

  const shorten = (body: string) => {
    const masked = mask.text(body);
    return masked.length <= BODY_KEPT ? masked : `${masked.slice(0, BODY_KEPT)}…`;
  };

  const put = (exchange: Exchange) => {
    kept.set(exchange.id, exchange);
    for (const id of kept.keys()) {
      if (kept.size <= limit) break;
      kept.delete(id);
    }
    changed.tell(exchange);
  };

  const open = ({ headers, body, faults = [], ...start }: ExchangeStart): OpenExchange => {
    const began = performance.now();
    lastId += 1;
    let current: Exchange = {
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
    const change = (more: Partial<Exchange>) => {
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

  return { open, exchanges: () => [...kept.values()], onChange: changed.add, clear: () => kept.clear() };
}
