import type { WebhookEndpoint } from '../protocol/index.js';
import { credentialHeaders, handoffUrl, type WebhookCredentials } from '../simulator/sending/index.js';

/** A receiver, of any make: where it is, and what the service would send along. */
export interface ReceiverTarget {
  /** The developer's URL: the message webhook, with the handoff endpoints below it. */
  readonly url: string;
  /** Where the handoff endpoints are, if they are not below {@link ReceiverTarget.url}. */
  readonly handoffUrl?: string | undefined;
  /** An unguessable segment of the path before those of the handoff endpoints. */
  readonly token?: string | undefined;
  /** What messages carry (5.3). */
  readonly message: WebhookCredentials;
  /** What handoff requests carry; known deployments send nothing. */
  readonly handoff: WebhookCredentials;
}

/** The endpoints of the human handoff. */
export const HANDOFF_ENDPOINTS = ['establish', 'chat', 'close'] as const satisfies readonly WebhookEndpoint[];

/** What the endpoints are set up for, and tested by. */
export type EndpointGroup = 'message' | 'handoff';

/** The group of an endpoint. */
export const groupOf = (endpoint: WebhookEndpoint): EndpointGroup =>
  endpoint === 'message' ? 'message' : 'handoff';

/** The address of a path below a URL, whose query stays. */
export function appendPath(url: string, path: string): string {
  const address = new URL(url);
  address.pathname = `${address.pathname.replace(/\/+$/, '')}/${path.replace(/^\/+/, '')}`;
  return address.href;
}

/** The URL of the human-service component, below which the handoff endpoints are. */
export function handoffBaseUrl({ url, handoffUrl: own, token }: ReceiverTarget): string {
  const base = own ?? url;
  return token === undefined ? base : appendPath(base, encodeURIComponent(token));
}

/** Where deliveries of a kind go. */
export function endpointUrl(target: ReceiverTarget, endpoint: WebhookEndpoint): string {
  return endpoint === 'message' ? target.url : handoffUrl(handoffBaseUrl(target), endpoint);
}

/** The credentials that deliveries of a kind carry, as headers. */
export function endpointHeaders(target: ReceiverTarget, endpoint: WebhookEndpoint): Record<string, string> {
  return credentialHeaders(target[groupOf(endpoint)]);
}

/** Everything about a target that must not be shown. A username beside a secret is none. */
export function secretsOf({ message, handoff, token }: ReceiverTarget): string[] {
  const ofCredentials = [message, handoff].flatMap((credentials) => {
    const { authorization = '' } = credentialHeaders(credentials);
    return [credentials.secret ?? credentials.username ?? '', authorization.replace(/^\w+ /, '')];
  });
  return [...new Set([...ofCredentials, token ?? ''])].filter((secret) => secret !== '');
}

/** Text without the secrets of a target. */
export function redactSecrets(text: string, target: ReceiverTarget): string {
  return secretsOf(target).reduce((shown, secret) => shown.replaceAll(secret, '***'), text);
}

const LOOPBACK = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Whether a URL leads to this machine. */
export function isLoopback(url: string): boolean {
  return LOOPBACK.test(new URL(url).hostname);
}
