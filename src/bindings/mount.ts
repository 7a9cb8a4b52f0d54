import type { IncomingMessage } from 'node:http';
import { type Receiver, type ReceiverRequest, readStream } from '../receiver/index.js';

/** What a binding serves: a receiver, or a bridge for the webhooks of its helpdesk. */
export type Handling = Pick<Receiver, 'handle'>;

/** A request of Node, in a framework that has matched its mount. */
export function fromNode(incoming: IncomingMessage, mount: string): ReceiverRequest {
  return {
    method: incoming.method ?? '',
    url: belowMount(incoming.url ?? '', mount),
    headers: incoming.headers,
    hasRepeatedAuthorization: countOf('authorization', incoming.rawHeaders) > 1,
    remoteAddress: incoming.socket.remoteAddress,
    read: (limits) => readStream(incoming, limits),
  };
}

/** The part of a URL below a mount, which its server has matched. */
export function belowMount(url: string, mount: string): string {
  const path = mount.replace(/\/?\*?$/, '');
  if (url.startsWith(path)) return url.slice(path.length);
  // Segment by segment, because the mount has parameters, or the server ignores empty segments.
  const segments = path.split('/').filter((segment) => segment !== '').length;
  return url.replace(new RegExp(`^(?:/+[^/?]+){${segments}}`), '');
}

/** How often a header occurs. Names and values take turns. */
const countOf = (header: string, rawHeaders: readonly string[]): number =>
  rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === header).length;
