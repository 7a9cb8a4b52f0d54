import {
  createServer,
  type IncomingMessage,
  request as requestHttp,
  type Server,
  type ServerResponse,
} from 'node:http';
import { request as requestHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import type { Recorder } from '../recording/index.js';

/** What a request is recorded as; `null` for one that is passed on only. */
export type Recognise = (
  path: string,
) => { readonly endpoint: string; readonly tokens: readonly string[] } | null;

export interface ProxyOptions {
  readonly to: 'receiver' | 'platform';
  /** Where requests go. */
  readonly target: URL;
  /** The path of a request at the target. */
  readonly pathOf: (url: string) => string;
  readonly recognise: Recognise;
  readonly recorder: Recorder;
}

export interface RecordProxy {
  readonly port: number;
  close(): Promise<void>;
}

/** Headers between two neighbours, which a proxy does not pass on. */
const HOP_BY_HOP = /^(connection|keep-alive|proxy-connection|upgrade|te|trailer|expect|host)$/i;

/** More is passed on, and not recorded. */
const MAX_RECORDED_BYTES = 1024 * 1024;

/**
 * Passes requests on, unchanged but for the `Host`, and records them. If the target does not answer, neither does the
 * proxy: it breaks the connection.
 */
export async function startRecordProxy(options: ProxyOptions, port: number): Promise<RecordProxy> {
  const server = createServer((request, response) => forward(request, response, options));
  // The limits are those of the target.
  server.requestTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return { port: (server.address() as AddressInfo).port, close: () => closeServer(server) };
}

const closeServer = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });

function forward(request: IncomingMessage, response: ServerResponse, options: ProxyOptions): void {
  const { to, target, pathOf, recognise, recorder } = options;
  const url = request.url ?? '/';
  const found = recognise(url.replace(/[?#].*/s, ''));
  const end = found && recorder.begin({ to, url, headers: allHeaders(request), ...found });
  const body = createCopy();
  const answer = createCopy();
  let answered: IncomingMessage | null = null;
  let isRecorded = false;

  /** A single segment below the receiver's URL is the base of handoffs if it is tested, and else another handler's. */
  const record = (status: number | null): void => {
    if (isRecorded || !end) return;
    isRecorded = true;
    const bytes = body.bytes();
    if (found.endpoint === 'handoff' && !/"istest"/.test(bytes?.toString() ?? '')) return;
    end({
      body: decode(bytes, request.headers['content-encoding']),
      status,
      answer: status === null ? null : decode(answer.bytes(), answered?.headers['content-encoding']),
      answerHeaders: answered?.headers ?? {},
    });
  };

  const send = target.protocol === 'https:' ? requestHttps : requestHttp;
  const upstream = send(target.origin, {
    method: request.method,
    path: pathOf(url),
    headers: ['Host', target.host, ...passedOn(request.rawHeaders)],
  });
  request.on('data', body.add);
  request.pipe(upstream);
  upstream.on('response', (incoming) => {
    answered = incoming;
    const { statusCode = 502, statusMessage = '', rawHeaders } = incoming;
    response.writeHead(statusCode, statusMessage, passedOn(rawHeaders));
    incoming.on('data', answer.add);
    incoming.on('end', () => record(statusCode));
    incoming.on('error', () => response.destroy());
    incoming.on('aborted', () => response.destroy());
    incoming.pipe(response);
  });
  upstream.on('error', () => response.destroy());
  response.on('close', () => {
    upstream.destroy();
    record(null);
  });
  request.on('error', () => upstream.destroy());
}

const pairs = (raw: readonly string[]): [string, string][] =>
  raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? '']] : []));

const passedOn = (raw: readonly string[]): string[] =>
  pairs(raw)
    .filter(([name]) => !HOP_BY_HOP.test(name))
    .flat();

/** All values of every header, also those that Node leaves out of `headers`. */
function allHeaders({ rawHeaders }: IncomingMessage): Record<string, string[]> {
  const headers: Record<string, string[]> = {};
  for (const [name, value] of pairs(rawHeaders)) {
    const key = name.toLowerCase();
    headers[key] = [...(Object.hasOwn(headers, key) ? (headers[key] ?? []) : []), value];
  }
  return headers;
}

/** A copy of what is passed on; `undefined` if it is too long. */
function createCopy() {
  const chunks: Buffer[] = [];
  let length = 0;
  return {
    add: (chunk: Buffer): void => {
      length += chunk.length;
      if (length <= MAX_RECORDED_BYTES) chunks.push(chunk);
      else chunks.length = 0;
    },
    bytes: (): Buffer | undefined => (length > MAX_RECORDED_BYTES ? undefined : Buffer.concat(chunks)),
  };
}

const DECODERS: Readonly<Record<string, (bytes: Buffer, limits: { maxOutputLength: number }) => Buffer>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};

/** `undefined` for what cannot be read: it cannot be searched for credentials either. */
function decode(bytes: Buffer | undefined, encoding = 'identity'): Buffer | undefined {
  if (bytes === undefined || encoding === 'identity') return bytes;
  try {
    return DECODERS[encoding.toLowerCase()]?.(bytes, { maxOutputLength: MAX_RECORDED_BYTES });
  } catch {
    return undefined;
  }
}
