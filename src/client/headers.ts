import { configError } from '../internal/index.js';

import type { ServiceEndpoint } from './endpoints.js';

/** Headers by name. `null` leaves a header out that would be sent otherwise. */
export type HeaderValues = Readonly<Record<string, string | null>>;

/** Headers to send, or a function that finds them anew for every attempt of a call. */
export type HeadersOption =
  | HeaderValues
  | ((endpoint: ServiceEndpoint) => HeaderValues | Promise<HeaderValues>);

/** Makes the headers of a request to an endpoint. */
export type HeadersFor = (endpoint: ServiceEndpoint) => Promise<Headers>;

/** The default headers, with what the option adds, replaces or leaves out. */
export function createHeaders(apiKey: string, option: HeadersOption = {}): HeadersFor {
  const defaults = (): Headers =>
    new Headers({
      accept: 'application/json',
      'content-type': 'application/json',
      authorization: `Bearer ${apiKey}`,
    });
  if (typeof option === 'function') return async (endpoint) => overlay(defaults(), await option(endpoint));
  overlay(defaults(), option);
  return async () => overlay(defaults(), option);
}

function overlay(headers: Headers, values: HeaderValues): Headers {
  for (const [name, value] of Object.entries(values)) apply(headers, name, value);
  return headers;
}

function apply(headers: Headers, name: string, value: string | null): void {
  try {
    if (value === null) headers.delete(name);
    else headers.set(name, value);
  } catch {
    // What the platform throws here quotes the value, and the value may be a secret.
    throw configError(
      `The header "${name}" of the headers option cannot be sent: its name or its value has a character ` +
        'that headers do not allow, such as a line break.',
    );
  }
}
