import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import {
  createManualClock,
  createSimulator,
  type SimulatedBot,
  type SimulatorOptions,
} from '../../src/simulator/index.js';

export interface Received {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  text: string;
  body: Record<string, unknown>;
  /** False if the connection broke before the body was complete. */
  whole: boolean;
}

type Answerer = (received: Received, response: ServerResponse) => unknown;

const answerSuccess: Answerer = (_received, response) => {
  response.setHeader('content-type', 'application/json');
  response.end('{"code":200,"message":"success"}');
};

/** A plain HTTP server that records its requests until the test ends. */
export async function startReceiver(answer: Answerer = answerSuccess) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const handle = async () => {
      const got = await readRequest(request);
      received.push(got);
      if (got.whole) await answer(got, response);
    };
    void handle();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => {
      server.close(resolve);
    });
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('expected a port');
  const origin = `http://127.0.0.1:${address.port}`;
  return { url: `${origin}/webhook`, origin, received, paths: () => received.map(({ path }) => path) };
}

async function readRequest(request: IncomingMessage): Promise<Received> {
  const { method = '', url = '', headers } = request;
  const chunks: Buffer[] = [];
  const got = { method, path: url, headers, text: '', body: {}, whole: false };
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    got.whole = true;
  } catch {
    got.whole = false;
  }
  got.text = Buffer.concat(chunks).toString();
  if (got.whole && got.text.startsWith('{')) got.body = JSON.parse(got.text);
  return got;
}

/** An address on which nothing listens. */
export const NOWHERE = 'http://127.0.0.1:1/webhook';

/** The bot of most tests, with a human service at `url`. */
export function botAt(url: string, more: Partial<SimulatedBot> = {}): SimulatedBot {
  return {
    id: 'bot-1',
    apiKey: 'the-key-of-bot-1',
    humanServices: [{ componentId: 'desk-1', componentName: 'The desk', url }],
    ...more,
  };
}

/** A simulator with a manual clock that listens until the test ends. */
export async function startSimulator(options: SimulatorOptions = {}) {
  const clock = createManualClock();
  const simulator = createSimulator({ clock, ...options });
  const baseUrl = await simulator.listen();
  onTestFinished(() => simulator.close());
  return { simulator, baseUrl, clock, call: callerOf(baseUrl) };
}

/** The answer to an HTTP call. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  body: Record<string, unknown>;
}

function callerOf(baseUrl: string) {
  return async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = { authorization: 'Bearer the-key-of-bot-1' },
  ): Promise<Answer> => {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : {} };
  };
}

/** Sends an agent's reply over HTTP, as a receiver does. */
export function replyTo(call: ReturnType<typeof callerOf>, conversationId: string, text: string) {
  const body = { conversation_id: conversationId, timestamp: 1_742_265_090_895, body: text };
  return call('POST', '/v1/human/message/receive', body);
}

/** Resolves when the condition holds. The test's own timeout ends an endless wait. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}
