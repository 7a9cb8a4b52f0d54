import { Agent, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { createCondition } from './deferred.js';
import { serve } from './serve.js';

/** How often each server is asked for `/readyz`. */
const POLL_MS = 20;
/** An answer of `/readyz` counts for so long after it was asked for; SHUTDOWN_DELAY must be longer. */
const VALID_MS = 500;

/** A load balancer before several servers. */
export interface LoadBalancer {
  readonly url: string;
  /** Adds a server. Resolves when requests may go to it. */
  add(url: string): Promise<void>;
  /** What went wrong with forwarded requests: each was answered 502, and none was sent again. */
  readonly failures: readonly string[];
}

interface Backend {
  readonly url: string;
  /** When the last `/readyz` that was answered 200 was asked for; no date, but a time of the monotonic clock. */
  readyAt: number;
}

/**
 * Starts a proxy that forwards each request once, to servers that answer `/readyz` with 200 in turn, over connections
 * that it keeps open. A request that finds no such server waits for one. It stops with the test.
 */
export async function loadBalancer(): Promise<LoadBalancer> {
  const backends: Backend[] = [];
  const failures: string[] = [];
  const agent = new Agent({ keepAlive: true });
  const condition = createCondition();
  let stopped = false;
  let turn = 0;

  const isReady = ({ readyAt }: Backend): boolean => performance.now() - readyAt < VALID_MS;
  const nextBackend = (): Backend | undefined => {
    const ready = backends.filter(isReady);
    turn += 1;
    return ready[turn % ready.length];
  };

  const poll = async (backend: Backend): Promise<void> => {
    while (!stopped && backends.includes(backend)) {
      const askedAt = performance.now();
      const status = await statusOf(`${backend.url}/readyz`);
      if (status === 200) backend.readyAt = askedAt;
      else if (status === null) backends.splice(backends.indexOf(backend), 1);
      else backend.readyAt = Number.NEGATIVE_INFINITY;
      condition.changed();
      await wait(POLL_MS);
    }
  };

  const forward = (from: IncomingMessage, answer: ServerResponse, { url }: Backend): void => {
    const fail = (error: Error): void => {
      failures.push(`${from.method} ${url}: ${error.message}`);
      if (!answer.headersSent) answer.writeHead(502).end();
      else answer.destroy();
    };
    const { method, headers } = from;
    const onward = request(`${url}${from.url}`, {
      method,
      headers: { ...headers, connection: 'keep-alive' },
      agent,
    });
    onward.on('error', fail).on('response', (response) => {
      // These two are about the connection to the server, not about the one to the client.
      const { connection: _connection, 'keep-alive': _keepAlive, ...rest } = response.headers;
      answer.writeHead(response.statusCode ?? 502, rest);
      response.on('error', fail).pipe(answer);
    });
    from.pipe(onward);
  };

  const { url } = await serve((from, answer) => {
    void condition.until(nextBackend).then((backend) => forward(from, answer, backend));
  });
  onTestFinished(() => {
    stopped = true;
    agent.destroy();
  });

  return {
    url,
    failures,
    async add(address) {
      const backend = { url: address, readyAt: Number.NEGATIVE_INFINITY };
      backends.push(backend);
      void poll(backend);
      await condition.until(() => (isReady(backend) ? true : undefined));
    },
  };
}

/** The status of the answer; `null` when there is none. */
async function statusOf(url: string): Promise<number | null> {
  try {
    const response = await fetch(url);
    await response.arrayBuffer();
    return response.status;
  } catch {
    return null;
  }
}
