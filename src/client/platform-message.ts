/** The sent content, which the platform may quote. */
export interface SentRequest {
  readonly headers: Headers;
  readonly body: unknown;
}

/** Longer messages are cut. */
const MAX_LENGTH = 500;

/** Shorter texts are not masked: masking "a" would make every message unreadable. */
const MIN_MASKED = 6;

/** A quotation may be cut, so any fragment of this length is masked. */
const FRAGMENT = 16;

const MASK = '***';

/** Removed from messages, so that no fragment spans two secrets. */
const SEPARATOR = '\0';

/** Not masked: operators need ids, names and the purpose, and users did not write them. */
const HARMLESS_FIELD = /(^|_)(id|name)$|^purpose$/;

const HARMLESS_HEADERS: ReadonlySet<string> = new Set(['accept', 'content-type']);

/**
 * The platform's explanation in a body, or `null`. It can quote the request, so the API key, other headers and users'
 * messages are masked.
 */
export function readPlatformMessage(body: unknown, sent: SentRequest): string | null {
  if (typeof body !== 'object' || body === null || !('message' in body)) return null;
  const message = typeof body.message === 'string' ? body.message.replaceAll(SEPARATOR, '').trim() : '';
  if (message === '') return null;
  const secrets = [...secretsIn(sent.headers), ...textsIn(sent.body)];
  const masked = maskQuotations(
    // Text beyond the cut need not be searched.
    message.slice(0, 2 * MAX_LENGTH),
    secrets.filter((text) => text.length >= MIN_MASKED),
  );
  return masked.length > MAX_LENGTH ? `${masked.slice(0, MAX_LENGTH)}…` : masked;
}

/** Without the scheme: "Bearer" is rarely quoted with the key. */
function secretsIn(headers: Headers): string[] {
  const values = [...headers].filter(([name]) => !HARMLESS_HEADERS.has(name)).map(([, value]) => value);
  return values.map((value) => value.replace(/^(?:bearer|basic)\s+/i, ''));
}

function textsIn(value: unknown, field = ''): string[] {
  if (typeof value === 'string') return HARMLESS_FIELD.test(field) ? [] : [value.trim()];
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item: unknown) => textsIn(item, field));
  return Object.entries(value).flatMap(([name, item]) => textsIn(item, name));
}

function maskQuotations(message: string, secrets: readonly string[]): string {
  const short = secrets.filter(({ length }) => length < FRAGMENT);
  return short.reduce((text, secret) => text.replaceAll(secret, MASK), maskFragments(message, secrets));
}

/** Masks the fragments that the message shares with any secret, in one search, since there can be thousands. */
function maskFragments(message: string, secrets: readonly string[]): string {
  const searched = secrets.join(SEPARATOR);
  const isQuoted = (from: number, end: number): boolean =>
    end <= message.length && searched.includes(message.slice(from, end));
  let shown = '';
  let at = 0;
  while (at < message.length) {
    let end = at + FRAGMENT;
    if (isQuoted(at, end)) {
      while (isQuoted(at, end + 1)) end += 1;
      shown += MASK;
      at = end;
    } else {
      shown += message.charAt(at);
      at += 1;
    }
  }
  return shown;
}
