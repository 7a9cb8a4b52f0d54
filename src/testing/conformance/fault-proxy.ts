import { createServer, type IncomingMessage, request as overHttp, type ServerResponse } from 'node:http';
import { request as overHttps } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultAnswer } from './harness.js';
import { listenOn } from './listen-on.js';

/** A request that came to the proxy. */
export interface ProxiedRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** Whether it may change something: neither GET nor HEAD. */
  readonly writes: boolean;
  /** When it came, in milliseconds of `performance.now()`. */
  readonly at: number;
}

/** Which requests a fault strikes, and how often. */
export interface FaultScope {
  /** Default 1; `Infinity` until `clear`. */
  readonly times?: number;
  /** So many matching requests pass before it strikes. Default 0. */
  readonly after?: number;
  /** Default: all. */
  readonly match?: (request: ProxiedRequest) => boolean;
}

/** Stands between an adapter and its system, and makes things go wrong on purpose. */
export interface FaultProxy {
  /** In place of the system's own address. */
  readonly url: string;
  /** What came, oldest first. */
  readonly requests: readonly ProxiedRequest[];
  /** Answers in place of the system, which gets nothing. */
  answer(answer: FaultAnswer, scope?: FaultScope): void;
  /** Lets the system do it and loses the answer: the connection breaks. */
  loseAnswer(scope?: FaultScope): void;
  /** Breaks the connection before the system gets anything. */
  refuse(scope?: FaultScope): void;
  /** Lets requests wait before the system gets them. */
  delay(ms: number, scope?: FaultScope): void;
  /** Lets requests wait until the function that it returns is called. */
  hold(scope?: FaultScope): () => void;
  /** Ends all faults. */
  clear(): void;
  /** Ends it, and every connection through it. */
  stop(): Promise<void>;
}

/**
 * Starts a proxy in front of a system's API. Give the adapter its `url` in place of the system's.
 *
 * @example
 * const proxy = await createFaultProxy('http://127.0.0.1:8080/REST/2.0');
 * proxy.loseAnswer({ match: ({ method }) => method === 'POST' });
 */
export async function createFaultProxy(target: string): Promise<FaultProxy> {
  const { protocol, host, hostname, port: targetPort, pathname } = new URL(target);
  const send = protocol === 'https:' ? overHttps : overHttp;
  const requests: ProxiedRequest[] = [];
  const strikes = createProxyFaults();

  const forward = (incoming: IncomingMessage, answer: ServerResponse, lose: boolean) => {
    const outgoing = send({
      hostname,
      port: targetPort,
      path: incoming.url,
      method: incoming.method,
      headers: { ...incoming.headers, host, connection: 'close' },
      // A kept connection would be one that the kit leaves behind.
      agent: false,
    });
    outgoing.on('error', () => answer.destroy());
    outgoing.on('response', (response) => {
      response.on('error', () => answer.destroy());
      if (lose) {
        response.resume().on('end', () => answer.destroy());
        return;
      }
      answer.writeHead(response.statusCode ?? 502, withoutConnection(response.headers));
      response.pipe(answer);
    });
    incoming.pipe(outgoing);
  };

  const act = async (strike: ProxyFault | null, incoming: IncomingMessage, answer: ServerResponse) => {
    if (strike?.kind === 'answer') return refuseWith(strike.answer, incoming, answer);
    if (strike?.kind === 'refuse') return answer.destroy();
    if (strike?.kind === 'delay') await sleep(strike.ms);
    if (strike?.kind === 'hold') await strike.released;
    if (!answer.destroyed) forward(incoming, answer, strike?.kind === 'lose');
  };

  const server = createServer((incoming, answer) => {
    const method = incoming.method ?? 'GET';
    const writes = method !== 'GET' && method !== 'HEAD';
    const request = { method, path: incoming.url ?? '/', writes, at: performance.now() };
    requests.push(request);
    void act(strikes.take(request), incoming, answer);
  });
  const port = await listenOn(server, 0);

  return {
    url: `http://127.0.0.1:${port}${pathname === '/' ? '' : pathname}`,
    requests,
    answer: (answer, scope) => strikes.add({ kind: 'answer', answer }, scope),
    loseAnswer: (scope) => strikes.add({ kind: 'lose' }, scope),
    refuse: (scope) => strikes.add({ kind: 'refuse' }, scope),
    delay: (ms, scope) => strikes.add({ kind: 'delay', ms }, scope),
    hold(scope) {
      let release = (): void => {};
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      strikes.add({ kind: 'hold', released, release }, scope);
      return release;
    },
    clear: () => strikes.clear(),
    stop() {
      strikes.clear();
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

function refuseWith(
  { status, headers = {}, body = `refused on purpose with ${status}` }: FaultAnswer,
  incoming: IncomingMessage,
  answer: ServerResponse,
): void {
  // The body is read to its end: a client that still writes would see a broken connection, not the answer.
  incoming.resume().on('end', () => {
    answer.writeHead(status, { 'content-type': 'text/plain', ...headers }).end(body);
  });
}

/** Whether the connection is kept is between the adapter and the proxy. */
function withoutConnection(headers: IncomingMessage['headers']): IncomingMessage['headers'] {
  const { connection: _, 'keep-alive': _kept, ...rest } = headers;
  return rest;
}

/** What happens to a request. */
export type ProxyFault =
  | { readonly kind: 'answer'; readonly answer: FaultAnswer }
  | { readonly kind: 'lose' }
  | { readonly kind: 'refuse' }
  | { readonly kind: 'delay'; readonly ms: number }
  | { readonly kind: 'hold'; readonly released: Promise<void>; readonly release: () => void };

/** The faults that are on. */
export interface ProxyFaults {
  add(strike: ProxyFault, scope?: FaultScope): void;
  /** What happens to a request; `null` for nothing out of the ordinary. The fault that was added first strikes. */
  take(request: ProxiedRequest): ProxyFault | null;
  clear(): void;
}

interface Pending {
  readonly strike: ProxyFault;
  readonly match: (request: ProxiedRequest) => boolean;
  after: number;
  times: number;
}

/** Makes {@link ProxyFaults}. */
export function createProxyFaults(): ProxyFaults {
  let pending: Pending[] = [];

  return {
    add(strike, { times = 1, after = 0, match = () => true } = {}) {
      pending.push({ strike, match, after, times });
    },
    take(request) {
      for (const each of pending) {
        if (!each.match(request)) continue;
        if (each.after > 0) {
          each.after -= 1;
          continue;
        }
        each.times -= 1;
        if (each.times <= 0) pending = pending.filter((other) => other !== each);
        return each.strike;
      }
      return null;
    },
    clear() {
      for (const { strike } of pending) if (strike.kind === 'hold') strike.release();
      pending = [];
    },
  };
}
