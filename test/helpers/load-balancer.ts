import { Agent, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { createCondition } from './deferred.js';
import { serve } from './serve.js';

/** The interval of requests to each `/readyz`. */
const POLL_MS = 20;
/** How long an answer from `/readyz` is valid; SHUTDOWN_DELAY must be longer. */
const VALID_MS = 500;

export interface LoadBalancer {
  readonly url: string;
  /** Adds a server. Resolves when requests may go to it. */
  add(url: string): Promise<void>;
  /** Errors of forwarded requests, each of which was answered 502 and not retried. */
  readonly failures: readonly string[];
}

interface Backend {
  readonly url: string;
  /** The monotonic time of the last request to `/readyz` that was answered 200. */
  readyAt: number;
}

/**
 * Starts a proxy that forwards each request once, over keep-alive connections, to the ready servers in turn. A request
 * waits if no server is ready. The proxy stops with the test.
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
      // These two headers describe the connection to the server, not the one to the client.
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
