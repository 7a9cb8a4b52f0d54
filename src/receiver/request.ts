import type { IncomingHttpHeaders } from 'node:http';
import type { Refusal } from './answer.js';
import type { ReadLimits } from './body.js';

/**
 * A request, from whatever server. A binding makes one of each request that its server receives, and passes it to
 * `receiver.handle`.
 */
export interface ReceiverRequest {
  readonly method: string;
  /** The path with its query, below the mount. */
  readonly url: string;
  /** Names are in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** Whether there are several `Authorization` headers. They count as none, because proxies differ in which applies. */
  readonly hasRepeatedAuthorization?: boolean;
  /** The IP address of the connection, if the server tells it. */
  readonly remoteAddress?: string | undefined;
  /** An id that the application gave the request, for the log. */
  readonly id?: unknown;
  /** The bytes of the body, if something before the receiver has read and kept them. */
  readonly rawBody?: Uint8Array | undefined;
  /** The body as a body parser before the receiver has parsed it. */
  readonly parsedBody?: unknown;
  /** Reads the body; `null` if something before the receiver has read it. */
  readonly read: ((limits: ReadLimits) => Promise<Uint8Array | Refusal> | Uint8Array) | null;
}

/** The answer to a request. */
export interface ReceiverAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number | readonly string[]>>;
  /** JSON. */
  readonly body: string;
}

/** Sends the answer to a request. Called once, or never if the sender has hung up. */
export type SendAnswer = (answer: ReceiverAnswer) => void;
