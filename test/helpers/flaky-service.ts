import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { API_KEY } from './fake-service.js';

/** A reply or close that reached the service. */
export interface SentReply {
  readonly kind: 'reply' | 'close';
  readonly conversationId: string;
  /** What was said; empty for a close. */
  readonly text: string;
}

/** What the service does with a call: answers it, breaks the connection, or never answers. */
export type Conduct =
  | { readonly status: number; readonly code?: number; readonly headers?: Readonly<Record<string, string>> }
  | 'hang up'
  | 'silence';

/** Decides what happens to a call; `nth` counts from 1. */
export type Conducts = (call: SentReply, nth: number) => Conduct | Promise<Conduct>;

const FINE: Conduct = { status: 200 };

/** A service whose conduct a test changes as it goes, and that can be down. It ends with the test. */
export async function flakyService(conducts: Conducts = () => FINE) {
  const calls: SentReply[] = [];
  let conduct = conducts;
  let server = createServer();
  let port = 0;

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const call = await readCall(request);
    calls.push(call);
    const how = await conduct(call, calls.length);
    if (how === 'silence') return;
    if (how === 'hang up') return void request.socket.destroy();
    response.writeHead(how.status, { 'content-type': 'application/json', ...how.headers });
    response.end(JSON.stringify({ code: how.code ?? how.status, message: `answer to ${call.text}` }));
  };
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
    /** All calls that came, also those that were not answered. */
    calls,
    /** What was said in a conversation, in order, `close` for its end. */
    said: (conversationId: string): string[] =>
      calls
        .filter((call) => call.conversationId === conversationId)
        .map(({ kind, text }) => (kind === 'close' ? kind : text)),
    /** Changes what it does from now on. */
    behave(next: Conducts = () => FINE): void {
      conduct = next;
    },
    up,
    down,
  };
}

async function readCall(request: IncomingMessage): Promise<SentReply> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  const { conversation_id, body } = JSON.parse(text) as { conversation_id: string; body?: string };
  const kind = body === undefined ? 'close' : 'reply';
  return { kind, conversationId: conversation_id, text: body ?? '' };
}
