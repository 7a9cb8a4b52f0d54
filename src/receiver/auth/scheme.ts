import type { IncomingHttpHeaders } from 'node:http';
import type { WebhookEndpoint } from '../../protocol/index.js';

/** What a scheme may judge by: headers and path, never the body, which is not read yet. */
export interface AuthRequest {
  /** Where the request wants to go; `root` for the address that stands for both groups. */
  readonly endpoint: WebhookEndpoint | 'root';
  /** The `Authorization` header; `undefined` when there is none, or when there are several. */
  readonly authorization: string | undefined;
  /** The path segment where a token would be, decoded. */
  readonly pathToken: string | undefined;
  /** All headers. */
  readonly headers: IncomingHttpHeaders;
  /** The address the connection comes from. */
  readonly remoteAddress: string | undefined;
}

/** A way to tell the service from others. Made by `webhookUser`, `bearer`, `basic`, `pathToken`, `noAuth`. */
export interface AuthScheme {
  /** What it is, for logs. Never a secret. */
  readonly name: string;
  /** What `WWW-Authenticate` says when it fails. */
  readonly challenge: string;
  /** Whether it judges by the path, which then has a segment more. */
  readonly inPath: boolean;
  /** Whether the request is the service's. */
  verify(request: AuthRequest): boolean | Promise<boolean>;
}

/** A judgement of one's own. Anything but `true` refuses; so does throwing, which is answered 500. */
export type AuthFunction = (request: AuthRequest) => boolean | Promise<boolean>;

/** One scheme or function, or a list of which any may pass (that is how a secret is rotated). */
export type AuthChoice = AuthScheme | AuthFunction | readonly (AuthScheme | AuthFunction)[];
