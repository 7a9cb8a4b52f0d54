import { once } from 'node:events';
import { createServer, type Server as HttpServer, type IncomingHttpHeaders } from 'node:http';
import { createServer as createRawServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../src/client/clock.js';
import { type PlatformClient, type PlatformClientOptions, PlatformError } from '../../src/client/index.js';
import { createClientWithClock } from '../../src/client/platform-client.js';

/** Unique, so that tests can search for it. */
export const API_KEY = 'app-KEY7f3c9d2e41b8a650';

/** The start of the instant clock: 2025-03-18T02:44:50.895Z. */
export const NOW = 1_742_265_890_895;

interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface ScriptedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON, a string unchanged. */
  readonly body?: unknown;
}

export interface FakePlatform {
  readonly baseUrl: string;
  readonly requests: readonly SeenRequest[];
}

/** A platform on a real socket that sends these answers in order, then repeats the last. */
export async function platformAnswering(...answers: ScriptedAnswer[]): Promise<FakePlatform> {
  return platformOnPort(0, ...answers);
}

export async function platformOnPort(port: number, ...answers: ScriptedAnswer[]): Promise<FakePlatform> {
  const requests: SeenRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      requests.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
      const {
        status = 200,
        headers: extra = {},
        body = '',
      } = answers[requests.length - 1] ?? answers.at(-1) ?? { body: {} };
      response.writeHead(status, extra);
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
  });
  return { baseUrl: `http://127.0.0.1:${await listen(server, port)}`, requests };
}

/** A platform that controls the raw socket once a request arrives. */
export async function rawPlatform(onRequest: (socket: Socket, count: number) => void) {
  let count = 0;
  const sockets = new Set<Socket>();
  const server = createRawServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => {
      count += 1;
      onRequest(socket, count);
    });
  });
  const port = await listen(server);
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  return { baseUrl: `http://127.0.0.1:${port}`, seen: () => count };
}

async function listen(server: Server | HttpServer, port = 0): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    if ('closeAllConnections' in server) server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return portOf(server);
}

function portOf(server: Server | HttpServer): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}

/** A clock that advances only in sleeps, which end at once and are recorded. */
export function instantClock(onSleep: (ms: number, count: number) => unknown = () => undefined) {
  const slept: number[] = [];
  let now = NOW;
  const clock: Clock = {
    now: () => now,
    random: () => 1 - Number.EPSILON,
    async sleep(ms) {
      slept.push(ms);
      now += ms;
      await onSleep(ms, slept.length);
    },
  };
  return { clock, slept };
}

/** A client of a fake platform, with the instant clock. */
export function clientOf(
  { baseUrl }: { readonly baseUrl: string },
  {
    clock = instantClock().clock,
    ...options
  }: Partial<PlatformClientOptions> & { clock?: Partial<Clock> } = {},
): PlatformClient {
  return createClientWithClock({ baseUrl, apiKey: API_KEY, ...options }, { ...systemClock, ...clock });
}

/** The `PlatformError` that a call rejects with. */
export async function failureOf(call: Promise<unknown>): Promise<PlatformError> {
  const error = await call.then(
    () => new Error('the call succeeded'),
    (reason: unknown) => reason,
  );
  if (error instanceof PlatformError) return error;
  throw error;
}

export const REPLY = { conversationId: 'c-1', text: 'Good morning' } as const;
export const CLOSE = { conversationId: 'c-1' } as const;
export const QA_TEXT = {
  purpose: 'QA_TEXT',
  name: 'Opening hours',
  qaList: [{ question: 'When do you open?', answer: 'At nine.' }],
} as const;
export const QA_UPDATE = { doc_id: 'd-1', qaList: [{ question: 'When?', answer: 'At ten.' }] } as const;

/** A success for every endpoint. */
export const SUCCESS = { body: { code: 200, message: 'success', results: [], doc: [], failed: [] } } as const;

/** Every call that sends the API key, by endpoint. */
export const CALLS = {
  reply: (client: PlatformClient) => client.reply(REPLY),
  close: (client: PlatformClient) => client.end(CLOSE),
  addQa: (client: PlatformClient) => client.knowledge.addQa({ ...QA_TEXT, qaList: [...QA_TEXT.qaList] }),
  updateQa: (client: PlatformClient) =>
    client.knowledge.updateQa({ ...QA_UPDATE, qaList: [...QA_UPDATE.qaList] }),
  checkWebhooks: (client: PlatformClient) => client.webhooks.check(),
} as const;

/** Calls that must not be retried when their outcome is unknown. */
export const ONCE_ONLY = ['reply', 'addQa'] as const;
/** Idempotent calls, which may be retried. */
export const REPEATABLE = ['close', 'updateQa', 'checkWebhooks'] as const;
