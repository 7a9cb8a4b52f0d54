import type { WebhookEndpoint } from '../protocol/index.js';
import { type Credentials, credentialHeaders, handoffUrl } from '../simulator/sending/index.js';

/** A receiver, of any make: where it is, and what the service would send along. */
export interface Target {
  /** The developer's URL: the message webhook, with the handoff endpoints below it. */
  readonly url: string;
  /** Where the handoff endpoints are, if they are not below {@link Target.url}. */
  readonly handoffUrl?: string | undefined;
  /** An unguessable segment of the path before those of the handoff endpoints. */
  readonly token?: string | undefined;
  /** What messages carry (5.3). */
  readonly message: Credentials;
  /** What handoff requests carry; known deployments send nothing. */
  readonly handoff: Credentials;
}

/** The endpoints of the human handoff. */
export const HANDOFF_ENDPOINTS = ['establish', 'chat', 'close'] as const satisfies readonly WebhookEndpoint[];

/** What the endpoints are set up for, and tested by. */
export type Group = 'message' | 'handoff';

/** The group of an endpoint. */
export const groupOf = (endpoint: WebhookEndpoint): Group => (endpoint === 'message' ? 'message' : 'handoff');

/** The address of a path below a URL, whose query stays. */
export function below(url: string, path: string): string {
  const address = new URL(url);
  address.pathname = `${address.pathname.replace(/\/+$/, '')}/${path.replace(/^\/+/, '')}`;
  return address.href;
}

/** The URL of the human-service component, below which the handoff endpoints are. */
export function handoffBase({ url, handoffUrl: own, token }: Target): string {
  const base = own ?? url;
  return token === undefined ? base : below(base, encodeURIComponent(token));
}

/** Where deliveries of a kind go. */
export function urlOf(target: Target, endpoint: WebhookEndpoint): string {
  return endpoint === 'message' ? target.url : handoffUrl(handoffBase(target), endpoint);
}

/** The credentials that deliveries of a kind carry, as headers. */
export function headersOf(target: Target, endpoint: WebhookEndpoint): Record<string, string> {
  return credentialHeaders(target[groupOf(endpoint)]);
}

/** Everything about a target that must not be shown. A username beside a secret is none. */
export function secretsOf({ message, handoff, token }: Target): string[] {
  const ofCredentials = [message, handoff].flatMap((credentials) => {
    const { authorization = '' } = credentialHeaders(credentials);
    return [credentials.secret ?? credentials.username ?? '', authorization.replace(/^\w+ /, '')];
  });
  return [...new Set([...ofCredentials, token ?? ''])].filter((secret) => secret !== '');
}

/** Text without the secrets of a target. */
export function withoutSecrets(text: string, target: Target): string {
  return secretsOf(target).reduce((shown, secret) => shown.replaceAll(secret, '***'), text);
}
