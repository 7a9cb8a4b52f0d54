import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseJsonOrText } from '../internal/index.js';
import { platformEndpointOf } from './format.js';

/** What the platform answers; `null` breaks the connection. */
export interface PlatformAnswer {
  readonly status: number;
  readonly answer: unknown;
}

export interface ReplayPlatform {
  /** Its base URL, for the receiver. */
  readonly url: string;
  /** Sets what answers calls. Until then, each is answered 503. */
  answerWith(answer: (endpoint: string, body: unknown) => PlatformAnswer | null): void;
  close(): Promise<void>;
}

/** Larger calls are refused. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Starts the platform's side of a replay on loopback. Port 0 takes any free one. */
export async function startReplayPlatform(port = 0): Promise<ReplayPlatform> {
  let answerCall: Parameters<ReplayPlatform['answerWith']>[0] = () => ({ status: 503, answer: null });

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const endpoint = platformEndpointOf((request.url ?? '').replace(/\?.*/s, ''));
    const text = await readText(request);
    if (endpoint === null || text === null) {
      response.writeHead(endpoint === null ? 404 : 413).end();
      return;
    }
    const given = answerCall(endpoint, parseJsonOrText(text));
    if (given === null) {
      response.destroy();
      return;
    }
    const { status, answer } = given;
    const isText = typeof answer === 'string';
    response.writeHead(status, { 'content-type': isText ? 'text/plain; charset=utf-8' : 'application/json' });
    response.end(isText ? answer : JSON.stringify(answer));
  };
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answerWith(answer) {
      answerCall = answer;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readText(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= MAX_BYTES) chunks.push(chunk);
  }
  return bytes > MAX_BYTES ? null : Buffer.concat(chunks).toString();
}
