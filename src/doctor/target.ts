import { HANDOFF_PATHS, type WebhookEndpoint } from '../protocol/index.js';
import { credentialHeaders, type WebhookCredentials } from '../simulator/sending/index.js';

/** The receiver to examine: its URLs and the credentials that the platform sends. */
export interface ReceiverTarget {
  /** The developer's URL: the message webhook, with the handoff endpoints below it. */
  readonly url: string;
  /** The base URL of the handoff endpoints, if they are not below {@link ReceiverTarget.url}. */
  readonly handoffUrl?: string | undefined;
  /** A secret path segment before the handoff endpoints. */
  readonly token?: string | undefined;
  readonly message: WebhookCredentials;
  /** Known platforms send none. */
  readonly handoff: WebhookCredentials;
}

/** The endpoints of the human handoff. */
export const HANDOFF_ENDPOINTS = ['establish', 'chat', 'close'] as const satisfies readonly WebhookEndpoint[];

/** The two groups of endpoints, which are configured separately. */
export type EndpointGroup = 'message' | 'handoff';

export const groupOf = (endpoint: WebhookEndpoint): EndpointGroup =>
  endpoint === 'message' ? 'message' : 'handoff';

/** Appends a path to a URL and keeps its query. */
export function appendPath(url: string, path: string): string {
  const address = new URL(url);
  address.pathname = `${address.pathname.replace(/\/+$/, '')}/${path.replace(/^\/+/, '')}`;
  return address.href;
}

/** The URL of the human-service component: the base of the handoff endpoints. */
export function handoffBaseUrl({ url, handoffUrl: own, token }: ReceiverTarget): string {
  const base = own ?? url;
  return token === undefined ? base : appendPath(base, encodeURIComponent(token));
}

export function endpointUrl(target: ReceiverTarget, endpoint: WebhookEndpoint): string {
  return endpoint === 'message' ? target.url : appendPath(handoffBaseUrl(target), HANDOFF_PATHS[endpoint]);
}

export function endpointHeaders(target: ReceiverTarget, endpoint: WebhookEndpoint): Record<string, string> {
  return credentialHeaders(target[groupOf(endpoint)]);
}

/** Shorter secrets occur in ordinary words: they are neither masked nor searched for. */
const MIN_SECRET_LENGTH = 6;

/** A username counts as secret only if there is no `secret`. */
function secretsOf({ message, handoff, token }: ReceiverTarget): string[] {
  const ofCredentials = [message, handoff].flatMap((credentials) => {
    const { authorization = '' } = credentialHeaders(credentials);
    return [credentials.secret ?? credentials.username ?? '', authorization.replace(/^\w+ /, '')];
  });
  return [...new Set([...ofCredentials, token ?? ''])].filter((secret) => secret.length >= MIN_SECRET_LENGTH);
}

/** Replaces a target's secrets with `***`, except very short ones. */
export function redactSecrets(text: string, target: ReceiverTarget): string {
  return secretsOf(target).reduce((shown, secret) => shown.replaceAll(secret, '***'), text);
}

const LOOPBACK = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

export function isLoopback(url: string): boolean {
  return LOOPBACK.test(new URL(url).hostname);
}
