import type { IncomingMessage } from 'node:http';
import {
  hasRepeatedAuthorization,
  type Receiver,
  type ReceiverRequest,
  readStream,
} from '../receiver/index.js';

/** A receiver, or a bridge for its helpdesk's webhooks. */
export type Handling = Pick<Receiver, 'handle'>;

/** A Node request whose mount path the framework has matched. */
export function fromNode(incoming: IncomingMessage, mount: string): ReceiverRequest {
  return {
    method: incoming.method ?? '',
    url: belowMount(incoming.url ?? '', mount),
    headers: incoming.headers,
    hasRepeatedAuthorization: hasRepeatedAuthorization(incoming),
    remoteAddress: incoming.socket.remoteAddress,
    read: (limits) => readStream(incoming, limits),
  };
}

/** The part of a URL below the matched mount path. */
export function belowMount(url: string, mount: string): string {
  const path = mount.replace(/\/?\*?$/, '');
  if (url.startsWith(path)) return url.slice(path.length);
  // By segment, because the mount path has parameters, or the server ignores empty segments.
  const segments = path.split('/').filter((segment) => segment !== '').length;
  return url.replace(new RegExp(`^(?:/+[^/?]+){${segments}}`), '');
}
