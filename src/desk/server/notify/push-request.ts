import { lookup } from 'node:dns';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/**
 * Requests to push services. Their addresses come from agents' browsers, so a request must not reach anything inside the
 * operator's network (SSRF): only HTTPS to public addresses. The address is checked where the connection is made, so that
 * a name cannot resolve to another one afterwards.
 */

/** An encrypted push, as the library makes it. */
export interface PushRequest {
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: Buffer;
}

export interface PushAnswer {
  readonly status: number;
  /** The `Retry-After` header, or `null`. */
  readonly retryAfter: string | null;
}

/** From the name lookup to the first line of the answer. Push services answer within a second. */
const TIMEOUT_MS = 10_000;
const MAX_ENDPOINT = 1_000;

const NOT_PUBLIC = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  NOT_PUBLIC.addSubnet(network, prefix);
// Tunnels and documentation within the public range; tunnels contain an IPv4 address, which may be private.
for (const [network, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
] as const)
  NOT_PUBLIC.addSubnet(network, prefix, 'ipv6');

const PUBLIC_V6 = new BlockList();
PUBLIC_V6.addSubnet('2000::', 3, 'ipv6');

/** Whether an IP address is one of the public internet. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !NOT_PUBLIC.check(address, 'ipv4');
  return version === 6 && PUBLIC_V6.check(address, 'ipv6') && !NOT_PUBLIC.check(address, 'ipv6');
}

const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** Whether the desk may send to an endpoint, as far as its URL tells. */
export function isAllowedEndpoint(endpoint: string, allowLoopback: boolean): boolean {
  const url = endpoint.length <= MAX_ENDPOINT && URL.canParse(endpoint) ? new URL(endpoint) : null;
  if (url?.username !== '' || url.password !== '') return false;
  if (allowLoopback && LOOPBACK.includes(url.hostname)) return /^https?:$/.test(url.protocol);
  if (url.protocol !== 'https:' || url.port !== '') return false;
  const address = url.hostname.replace(/^\[|\]$/g, '');
  return isIP(address) === 0 ? address.includes('.') : isPublicAddress(address);
}

/** Resolves a name to its public addresses only. */
export const lookupPublic: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, found) => {
    const addresses = (found ?? []).filter(({ address }) => isPublicAddress(address));
    const [first] = addresses;
    if (error) callback(error, '');
    else if (!first) callback(Object.assign(new Error('no public address'), { code: 'NOT_PUBLIC' }), '');
    else if (options.all) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
};

/** Sends a push. Redirects are not followed, and the body of the answer is not read. */
export async function sendPush(
  endpoint: string,
  { headers, body }: PushRequest,
  {
    allowLoopback,
    signal,
    timeoutMs = TIMEOUT_MS,
  }: { readonly allowLoopback: boolean; readonly signal: AbortSignal; readonly timeoutMs?: number },
): Promise<PushAnswer> {
  if (!isAllowedEndpoint(endpoint, allowLoopback)) throw new Error('the endpoint is not allowed');
  const url = new URL(endpoint);
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  const isLocal = allowLoopback && LOOPBACK.includes(url.hostname);
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method: 'POST',
        headers,
        // A connection of its own: one that other code opened was not checked.
        agent: false,
        ...(!isLocal && { lookup: lookupPublic }),
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      },
      (response) => {
        resolve({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] ?? null });
        response.destroy();
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}
