import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { listen } from '../helpers/serve.js';

/** A request and its answer, as they went over the wire. */
export interface Tapped {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly request: string;
  readonly status: number;
  readonly answerType: string;
  readonly answer: string;
}

/** A server in between that passes everything on and notes it. */
export interface Wiretap {
  readonly url: string;
  readonly end: () => Promise<void>;
}

/** Listens in on whoever calls `target`. An exchange is noted before its answer is passed back. */
export async function wiretap(target: string, note: (exchange: Tapped) => void): Promise<Wiretap> {
  const served = await listen((incoming, outgoing) => {
    void (async () => {
      const { method = '', url: path = '', headers } = incoming;
      const body = await bytesOf(incoming);
      const response = await passOn(target + path, { method, headers }, body);
      if (!response) {
        outgoing.destroy();
        return;
      }
      const answer = await bytesOf(response);
      const { statusCode: status = 0 } = response;
      const answerType = response.headers['content-type'] ?? '';
      note({
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

/** Sends a request on as it came; `null` when there is no answer. */
function passOn(
  url: string,
  { method, headers }: Pick<Tapped, 'method' | 'headers'>,
  body: Buffer,
): Promise<IncomingMessage | null> {
  return new Promise((resolve) => {
    const onward = httpRequest(url, { method, headers: { ...headers, host: new URL(url).host } });
    onward.on('error', () => resolve(null));
    onward.on('response', resolve);
    onward.end(body);
  });
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}
