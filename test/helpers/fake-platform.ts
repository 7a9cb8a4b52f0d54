import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { createCondition } from './deferred.js';
import { serve } from './serve.js';

/** The API key of both fake platforms. */
export const API_KEY = 'app-key-of-the-bot';

/** A call to the platform's API. */
interface PlatformCall {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: unknown;
}

/** Returns the HTTP status of the answer to a call. */
type PlatformAnswer = (call: PlatformCall) => number | Promise<number>;

/** A fake platform API that records every call before it answers. It stops with the test. */
export async function fakePlatform(answer: PlatformAnswer = () => 200) {
  const calls: PlatformCall[] = [];
  const condition = createCondition();
  const { url } = await serve((request, response) => {
    void (async () => {
      const call: PlatformCall = {
        path: request.url ?? '',
        authorization: request.headers.authorization,
        body: await readJson(request),
      };
      calls.push(call);
      condition.changed();
      const status = await answer(call);
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ code: status === 200 ? 0 : 50_000, message: 'as the test says' }));
    })();
  });
  return {
    options: { baseUrl: url, apiKey: API_KEY, retry: false } as const,
    calls,
    /** Resolves when this many calls have been received. */
    came: async (count: number): Promise<void> => {
      await condition.until(() => (calls.length >= count ? true : undefined));
    },
  };
}

/** A reply or close that reached the {@link flakyPlatform}. */
export interface SentReply {
  readonly kind: 'reply' | 'close';
  readonly conversationId: string;
  /** The text of a reply; empty for a close. */
  readonly text: string;
  readonly authorization: string | undefined;
}

/** The reaction to a call: answer it, break the connection, or never answer. */
export type Conduct =
  | { readonly status: number; readonly code?: number; readonly headers?: Readonly<Record<string, string>> }
  | 'hang up'
  | 'silence';

/** Chooses the reaction to a call; `nth` counts from 1. */
export type Conducts = (call: SentReply, nth: number) => Conduct | Promise<Conduct>;

const SUCCESS: Conduct = { status: 200 };

/** A fake reply API whose behaviour can change, and that can be down. It stops with the test. */
export async function flakyPlatform(conducts: Conducts = () => SUCCESS) {
  const calls: SentReply[] = [];
  let conduct = conducts;
  let server = createServer();
  let port = 0;

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const call = await readReply(request);
    calls.push(call);
    const reaction = await conduct(call, calls.length);
    if (reaction === 'silence') return;
    if (reaction === 'hang up') return void request.socket.destroy();
    response.writeHead(reaction.status, { 'content-type': 'application/json', ...reaction.headers });
    response.end(
      JSON.stringify({ code: reaction.code ?? reaction.status, message: `answer to ${call.text}` }),
    );
  };
  // Restarted on the same port, so not by serve().
  const up = async (): Promise<void> => {
    server = createServer((request, response) => void answer(request, response));
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address !== null && typeof address !== 'string') port = address.port;
  };
  const down = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  await up();
  onTestFinished(down);

  return {
    options: { baseUrl: `http://127.0.0.1:${port}`, apiKey: API_KEY, retry: false } as const,
    /** Every call, answered or not. */
    calls,
    /** The replies to a conversation in order; `close` for its end. */
    said: (conversationId: string): string[] =>
      calls
        .filter((call) => call.conversationId === conversationId)
        .map(({ kind, text }) => (kind === 'close' ? kind : text)),
    /** Changes the behaviour; without an argument, every call succeeds. */
    behave(next: Conducts = () => SUCCESS): void {
      conduct = next;
    },
    up,
    down,
  };
}

async function readReply(request: IncomingMessage): Promise<SentReply> {
  const { conversation_id, body } = (await readJson(request)) as { conversation_id: string; body?: string };
  const kind = body === undefined ? 'close' : 'reply';
  const { authorization } = request.headers;
  return { kind, conversationId: conversation_id, text: body ?? '', authorization };
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return JSON.parse(text);
}
