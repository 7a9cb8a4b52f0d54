import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { listen } from '../helpers/serve.js';

/** A request and its answer as sent over the wire. */
export interface ProxiedExchange {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly request: string;
  readonly status: number;
  readonly answerType: string;
  readonly answer: string;
}

/** A proxy that records every exchange. */
export interface RecordingProxy {
  readonly url: string;
  readonly end: () => Promise<void>;
}

/** Starts a proxy to `target`. An exchange is recorded before its answer is sent back. */
export async function startRecordingProxy(
  target: string,
  record: (exchange: ProxiedExchange) => void,
): Promise<RecordingProxy> {
  const served = await listen((incoming, outgoing) => {
    void (async () => {
      const { method = '', url: path = '', headers } = incoming;
      const body = await bytesOf(incoming);
      const response = await forward(target + path, { method, headers }, body);
      if (!response) {
        outgoing.destroy();
        return;
      }
      const answer = await bytesOf(response);
      const { statusCode: status = 0 } = response;
      const answerType = response.headers['content-type'] ?? '';
      record({
        method,
        path,
        headers,
        request: body.toString(),
        status,
        answerType,
        answer: answer.toString(),
      });
      outgoing.writeHead(status, response.headers);
      outgoing.end(answer);
    })();
  });
  return { url: served.url, end: () => served.end() };
}

/** Forwards a request; `null` if there is no answer. */
function forward(
  url: string,
  { method, headers }: Pick<ProxiedExchange, 'method' | 'headers'>,
  body: Buffer,
): Promise<IncomingMessage | null> {
  return new Promise((resolve) => {
    const outgoing = httpRequest(url, { method, headers: { ...headers, host: new URL(url).host } });
    outgoing.on('error', () => resolve(null));
    outgoing.on('response', resolve);
    outgoing.end(body);
  });
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}
