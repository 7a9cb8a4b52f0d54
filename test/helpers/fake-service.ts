import type { IncomingMessage } from 'node:http';
import { serve } from './serve.js';

/** A call that reached the service. */
interface ServiceCall {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: unknown;
}

/** How the service answers a call. */
type ServiceAnswer = (call: ServiceCall) => number | Promise<number>;

/** The API key that the service expects. */
export const API_KEY = 'app-key-of-the-agent';

/** A small HTTP server in place of the service, until the test ends. It notes each call before it answers. */
export async function fakeService(answer: ServiceAnswer = () => 200) {
  const calls: ServiceCall[] = [];
  const hearers = new Set<() => void>();
  const { url } = await serve((request, response) => {
    void (async () => {
      const call: ServiceCall = {
        path: request.url ?? '',
        authorization: request.headers.authorization,
        body: JSON.parse(await textOf(request)) as unknown,
      };
      calls.push(call);
      for (const hear of hearers) hear();
      const status = await answer(call);
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ code: status === 200 ? 0 : 50_000, message: 'as the test says' }));
    })();
  });
  return {
    options: { baseUrl: url, apiKey: API_KEY, retry: false } as const,
    calls,
    /** Resolves when so many calls have come. */
    came: (count: number): Promise<void> =>
      new Promise((resolve) => {
        const look = (): void => {
          if (calls.length < count) return;
          hearers.delete(look);
          resolve();
        };
        hearers.add(look);
        look();
      }),
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return text;
}
