import { type IncomingMessage, request as overHttp, type ServerResponse } from 'node:http';
import { request as overHttps } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { serve } from '../serve.js';
import type { FaultAnswer } from './harness.js';

export interface ProxiedRequest {
  readonly method: string;
  /** Including the query. */
  readonly path: string;
  /** Whether it may change data: neither GET nor HEAD. */
  readonly writes: boolean;
  /** When it arrived, as `performance.now()`. */
  readonly at: number;
}

/** The requests that a fault applies to. */
export interface FaultScope {
  /** How many requests are affected. Default: 1; `Infinity` until `clear`. */
  readonly times?: number;
  /** How many matching requests pass first. Default: 0. */
  readonly after?: number;
  /** Selects requests. Default: all. */
  readonly match?: (request: ProxiedRequest) => boolean;
}

/** A proxy between an adapter and its helpdesk that injects faults. Faults apply in the order they were added. */
export interface FaultProxy {
  /** The address to use instead of the helpdesk's. */
  readonly url: string;
  /** Every request so far, oldest first. */
  readonly requests: readonly ProxiedRequest[];
  /**
   * Answers instead of the helpdesk, which does not get the request.
   *
   * @example proxy.answer({ status: 429, headers: { 'retry-after': '1' } });
   */
  answer(answer: FaultAnswer, scope?: FaultScope): void;
  /**
   * Lets the helpdesk handle the request and breaks the connection before the answer.
   *
   * @example proxy.loseAnswer({ match: ({ writes }) => writes });
   */
  loseAnswer(scope?: FaultScope): void;
  /**
   * Breaks the connection before the helpdesk gets the request.
   *
   * @example proxy.refuse({ times: 3 });
   */
  refuse(scope?: FaultScope): void;
  /**
   * Delays requests on their way to the helpdesk.
   *
   * @example proxy.delay(500);
   */
  delay(ms: number, scope?: FaultScope): void;
  /**
   * Lets the helpdesk handle the request at once, and delays its answer.
   *
   * @example proxy.delayAnswer(2_000, { match: ({ writes }) => writes });
   */
  delayAnswer(ms: number, scope?: FaultScope): void;
  /**
   * Holds requests until the returned function is called.
   *
   * @example
   * const release = proxy.hold();
   * release();
   */
  hold(scope?: FaultScope): () => void;
  clear(): void;
  /** Stops the proxy and closes every connection. */
  stop(): Promise<void>;
}

/**
 * Starts a proxy in front of a helpdesk's API. Create the adapter with `proxy.url` instead of the helpdesk's address.
 *
 * @example
 * const proxy = await createFaultProxy('http://127.0.0.1:8080');
 * const adapter = requestTracker({ url: proxy.url, token: 'test-token', queue: 'Handoffs' });
 * proxy.loseAnswer({ match: ({ method }) => method === 'POST' });
 * await proxy.stop();
 */
export async function createFaultProxy(target: string): Promise<FaultProxy> {
  const { protocol, host, hostname, port: targetPort, pathname } = new URL(target);
  const send = protocol === 'https:' ? overHttps : overHttp;
  const requests: ProxiedRequest[] = [];
  const faults = createProxyFaults();

  const forward = (incoming: IncomingMessage, answer: ServerResponse, fault: ProxyFault | null) => {
    const outgoing = send({
      hostname,
      port: targetPort,
      path: incoming.url,
      method: incoming.method,
      headers: { ...incoming.headers, host, connection: 'close' },
      // No keep-alive: the dispose check would count the proxy's idle connections.
      agent: false,
    });
    outgoing.on('error', () => answer.destroy());
    outgoing.on('response', (response) => {
      response.on('error', () => answer.destroy());
      if (fault?.kind === 'lose') {
        response.resume().on('end', () => answer.destroy());
        return;
      }
      const pass = (): void => {
        answer.writeHead(response.statusCode ?? 502, withoutConnectionHeaders(response.headers));
        response.pipe(answer);
      };
      if (fault?.kind === 'delay-answer') setTimeout(pass, fault.ms);
      else pass();
    });
    incoming.pipe(outgoing);
  };

  const handle = async (fault: ProxyFault | null, incoming: IncomingMessage, answer: ServerResponse) => {
    if (fault?.kind === 'answer') return refuseWith(fault.answer, incoming, answer);
    if (fault?.kind === 'refuse') return answer.destroy();
    if (fault?.kind === 'delay') await sleep(fault.ms);
    if (fault?.kind === 'hold') await fault.released;
    if (!answer.destroyed) forward(incoming, answer, fault);
  };

  const { origin, stop } = await serve((incoming, answer) => {
    const method = incoming.method ?? 'GET';
    const writes = method !== 'GET' && method !== 'HEAD';
    const request = { method, path: incoming.url ?? '/', writes, at: performance.now() };
    requests.push(request);
    void handle(faults.take(request), incoming, answer);
  });

  return {
    url: `${origin}${pathname === '/' ? '' : pathname}`,
    requests,
    answer: (answer, scope) => faults.add({ kind: 'answer', answer }, scope),
    loseAnswer: (scope) => faults.add({ kind: 'lose' }, scope),
    refuse: (scope) => faults.add({ kind: 'refuse' }, scope),
    delay: (ms, scope) => faults.add({ kind: 'delay', ms }, scope),
    delayAnswer: (ms, scope) => faults.add({ kind: 'delay-answer', ms }, scope),
    hold(scope) {
      let release = (): void => {};
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      faults.add({ kind: 'hold', released, release }, scope);
      return release;
    },
    clear: () => faults.clear(),
    stop() {
      faults.clear();
      return stop();
    },
  };
}

function refuseWith(
  { status, headers = {}, body = `refused on purpose with ${status}` }: FaultAnswer,
  incoming: IncomingMessage,
  answer: ServerResponse,
): void {
  // Read the whole body first: a client that is still writing would see a broken connection, not the answer.
  incoming.resume().on('end', () => {
    answer.writeHead(status, { 'content-type': 'text/plain', ...headers }).end(body);
  });
}

/** Keep-alive is negotiated between the adapter and the proxy. */
function withoutConnectionHeaders(headers: IncomingMessage['headers']): IncomingMessage['headers'] {
  const { connection: _, 'keep-alive': _kept, ...rest } = headers;
  return rest;
}

type ProxyFault =
  | { readonly kind: 'answer'; readonly answer: FaultAnswer }
  | { readonly kind: 'lose' }
  | { readonly kind: 'refuse' }
  | { readonly kind: 'delay' | 'delay-answer'; readonly ms: number }
  | { readonly kind: 'hold'; readonly released: Promise<void>; readonly release: () => void };

interface ProxyFaults {
  add(fault: ProxyFault, scope?: FaultScope): void;
  /** The fault that applies to a request, if any; the oldest wins. Counts against `times`. */
  take(request: ProxiedRequest): ProxyFault | null;
  clear(): void;
}

interface ScopedFault {
  readonly fault: ProxyFault;
  readonly match: (request: ProxiedRequest) => boolean;
  after: number;
  times: number;
}

function createProxyFaults(): ProxyFaults {
  let pending: ScopedFault[] = [];

  return {
    add(fault, { times = 1, after = 0, match = () => true } = {}) {
      pending.push({ fault, match, after, times });
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
        return each.fault;
      }
      return null;
    },
    clear() {
      for (const { fault } of pending) if (fault.kind === 'hold') fault.release();
      pending = [];
    },
  };
}
