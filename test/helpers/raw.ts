import { connect, type Socket } from 'node:net';

/** An answer as received over the wire. */
export interface RawAnswer {
  readonly status: number;
  /** By lower-case name, all values. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly body: string;
}

/** A request, header by header. */
export interface RawRequest {
  readonly method?: string;
  readonly path?: string;
  /** Sent in this order; names may repeat. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  /** Sent unchanged. `Content-Length` is added unless the headers have it. */
  readonly body?: string | Buffer;
}

/** The bytes of a request with `Connection: close`. */
export function bytesOf({ method = 'POST', path = '/', headers = [], body = '' }: RawRequest): Buffer {
  const names = new Set(headers.map(([name]) => name.toLowerCase()));
  const framed = names.has('content-length') || names.has('transfer-encoding');
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Connection: close',
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(framed ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]),
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), Buffer.from(body)]);
}

/** Opens a connection. */
export function dial(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket));
    socket.once('error', reject);
  });
}

/** Reads until the connection ends or is reset. */
export function readAll(socket: Socket): Promise<Buffer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', () => {});
    socket.on('close', () => resolve(Buffer.concat(chunks)));
  });
}

/** Sends raw bytes and reads the answer until the connection ends. */
export async function sendBytes(port: number, bytes: string | Buffer): Promise<RawAnswer> {
  const socket = await dial(port);
  socket.write(bytes);
  return parseAnswer(await readAll(socket));
}

/** Sends a request that HTTP clients refuse to send. */
export function sendRaw(port: number, request: RawRequest): Promise<RawAnswer> {
  return sendBytes(port, bytesOf(request));
}

/** Parses an answer; status 0 if there was none. */
export function parseAnswer(bytes: Buffer): RawAnswer {
  const text = bytes.toString();
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = new Map<string, string[]>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    headers.set(name, [...(headers.get(name) ?? []), line.slice(colon + 1).trim()]);
  }
  return { status: Number(statusLine.split(' ')[1] ?? 0), headers, body: rest.join('\r\n\r\n') };
}
