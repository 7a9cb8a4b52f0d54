import type { PlatformClient, PlatformClientOptions } from '../client/index.js';
import { configError } from '../internal/index.js';
import { platformEndpointOf, type Recorder } from '../recording/index.js';
import { isRefusal, type ReceiverRequest } from './exchange.js';
import type { RequestHandling } from './receive.js';
import type { Route } from './routes.js';

/** Records the requests that the receiver answers. A body that it does not read is not recorded. */
export function recordRequests(
  handling: RequestHandling,
  routes: (url: string) => Route | null,
  recorder: Recorder,
): RequestHandling {
  return {
    ...handling,
    handle(request, send) {
      const route = routes(request.url);
      if (!route) return handling.handle(request, send);
      const { method, url, headers, hasRepeatedAuthorization = false, remoteAddress, id } = request;
      const { rawBody, parsedBody, read } = request;
      const end = recorder.begin({
        to: 'receiver',
        endpoint: route.endpoint === 'root' ? 'handoff' : route.endpoint,
        headers,
        url,
        tokens: route.pathToken === undefined ? [] : [route.pathToken],
      });
      let body: unknown = null;
      let isAnswered = false;
      const keep = <Read>(bytes: Read): Read => {
        if (!isRefusal(bytes)) body = bytes;
        return bytes;
      };
      const recorded: ReceiverRequest = {
        method,
        url,
        headers,
        hasRepeatedAuthorization,
        remoteAddress,
        id,
        rawBody,
        parsedBody,
        read:
          read &&
          ((limits) => {
            const bytes = read(limits);
            return bytes instanceof Promise ? bytes.then(keep) : keep(bytes);
          }),
      };
      const handled = handling.handle(recorded, (answer) => {
        isAnswered = true;
        end({ body: bodyOf(rawBody, parsedBody, body), status: answer.status, answer: answer.body });
        send(answer);
      });
      void handled?.then(() => {
        if (!isAnswered) end({ body, status: null, answer: null });
      });
      return handled;
    },
  };
}

/** What was read, or what something before the receiver has kept. */
function bodyOf(rawBody: unknown, parsedBody: unknown, read: unknown): unknown {
  return rawBody ?? (read instanceof Uint8Array && read.length > 0 ? read : (parsedBody ?? null));
}

/** Wraps the `fetch` of a platform's client. Like any other `fetch`, it is not asked again once it has a connection. */
export function recordPlatform(
  platform: PlatformClient | PlatformClientOptions,
  recorder: Recorder,
): PlatformClientOptions {
  if ('reply' in platform) {
    throw configError('record needs platform as { baseUrl, apiKey }: the requests of a client are not seen.');
  }
  recorder.hide([platform.apiKey]);
  return {
    ...platform,
    async fetch(url, init) {
      const send = platform.fetch ?? globalThis.fetch;
      const endpoint = platformEndpointOf(new URL(url).pathname);
      if (endpoint === null) return send(url, init);
      const headers = Object.fromEntries(new Headers(init.headers));
      const end = recorder.begin({ to: 'platform', endpoint, headers, url, tokens: [] });
      const body = typeof init.body === 'string' ? init.body : null;
      try {
        const response = await send(url, init);
        end(copyOf(response).then((answer) => ({ body, status: response.status, answer })));
        return response;
      } catch (error) {
        end({ body, status: null, answer: null });
        throw error;
      }
    },
  };
}

/** Longer answers are not recorded. */
const MAX_ANSWER_BYTES = 1024 * 1024;

/** The text of an answer, which the client reads as well; `undefined` if it cannot be read. */
async function copyOf(response: Response): Promise<string | undefined> {
  try {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of response.clone().body ?? []) {
      bytes += chunk.byteLength;
      if (bytes > MAX_ANSWER_BYTES) return undefined;
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString();
  } catch {
    return undefined;
  }
}
