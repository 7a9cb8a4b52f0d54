import type { Agents } from './agents.js';

const MASK = '****';

/** Headers whose values say nothing secret; every other value is masked. */
const PLAIN_HEADERS = new Set(
  'accept allow cache-control connection content-encoding content-length content-type date host keep-alive retry-after transfer-encoding user-agent www-authenticate'.split(
    ' ',
  ),
);

/** A secret shorter than this would turn half the log into asterisks. */
const SHORTEST_SECRET = 6;

/** A path segment of at least this length is taken for a token that keeps strangers out. */
const TOKEN_SEGMENT = /^[\w-]{16,}$/;

/** Takes secrets out of what is logged and shown. */
export interface Mask {
  /** Text with every configured key, secret and header value replaced. */
  text: (text: string) => string;
  /** A URL without its user, its query's values and its token-like path segments. */
  url: (url: string) => string;
  /** Headers by lower-case name, with the values of all but harmless ones replaced. */
  headers: (
    headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  ) => Record<string, string>;
}

/** Makes the mask for the secrets that the agents have at the moment of use. */
export function createMask(agents: Agents): Mask {
  const secrets = () =>
    agents
      .list()
      .flatMap(({ apiKey, message, humanServices }) => [
        apiKey,
        message?.secret,
        ...humanServices.flatMap(({ secret, headers }) => [secret, ...Object.values(headers)]),
      ])
      .filter((secret) => secret !== undefined)
      .filter((secret) => secret.length >= SHORTEST_SECRET);

  const text = (value: string) =>
    secrets().reduce((masked, secret) => masked.replaceAll(secret, MASK), value);
  return { text, url: (url) => text(maskUrl(url)), headers: maskHeaders };
}

function maskUrl(url: string): string {
  const base = 'http://base.invalid';
  if (!URL.canParse(url, base)) return MASK;
  const parsed = new URL(url, base);
  const path = parsed.pathname
    .split('/')
    .map((segment) => (TOKEN_SEGMENT.test(segment) ? `${segment.slice(0, 3)}${MASK}` : segment))
    .join('/');
  const query = [...parsed.searchParams.keys()].map((name) => `${name}=${MASK}`).join('&');
  return `${parsed.origin === base ? '' : parsed.origin}${path}${query ? `?${query}` : ''}`;
}

function maskHeaders(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): Record<string, string> {
  const shown = Object.entries(headers).flatMap(([name, value]): [string, string][] => {
    if (value === undefined) return [];
    const whole = typeof value === 'string' ? value : value.join(', ');
    return [[name.toLowerCase(), maskHeader(name.toLowerCase(), whole)]];
  });
  return Object.fromEntries(shown);
}

function maskHeader(name: string, value: string): string {
  if (PLAIN_HEADERS.has(name)) return value;
  const scheme = name === 'authorization' ? /^(Bearer|Basic) /i.exec(value)?.[0] : undefined;
  return `${scheme ?? ''}${MASK}`;
}
