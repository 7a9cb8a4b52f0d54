import type { IncomingHttpHeaders } from 'node:http';

/** What stands for a secret. */
export const HIDDEN = '***';

/** Shorter secrets occur in ordinary words, so they are not searched for. */
const MIN_LENGTH = 6;

/** The oldest go first, should a sender use a new credential for each request. */
const MAX_REMEMBERED = 1_000;

/** Headers of every request, whose values are no secrets. */
const HARMLESS =
  /^(accept(-.*)?|connection|content-(type|length|encoding)|date|expect|host|keep-alive|transfer-encoding|user-agent|via|x-forwarded-.*|x-real-ip)$/;

/** Headers whose values are the same in other requests. */
const LASTING = /^(proxy-)?authorization$|cookie|key|token|secret|password/;

/** Variables of the environment that hold secrets. */
const SECRET_VARIABLE = /(KEY|SECRET|TOKEN|PASSWORD)$/;

/** The credentials of an exchange, as far as the recorder can know them. */
export interface ExchangeSecrets {
  readonly headers: IncomingHttpHeaders | Readonly<Record<string, string>>;
  /** The path with its query. */
  readonly url: string;
  /** Segments of the path that are known to be tokens. */
  readonly tokens: readonly string[];
}

/** Secrets that must not be written. */
export interface Secrets {
  /** Remembers secrets for the whole recording. */
  add(values: readonly string[]): void;
  /** Replaces the secrets of an exchange, and all that are remembered. */
  hide(text: string): string;
  /** Whether a text has a secret of this exchange, or one that is remembered. */
  isIn(text: string): boolean;
  /** Secrets of the exchange, which is masked next. */
  begin(exchange: ExchangeSecrets): void;
}

/** @param words - texts that are always written, such as names of fields: a credential like them is no secret */
export function createSecrets(words: ReadonlySet<string>): Secrets {
  const remembered = new Map<string, readonly string[]>();
  let ofExchange: readonly string[] = [];
  let pattern: RegExp | null = null;

  const add: Secrets['add'] = (values) => {
    for (const value of values.filter(isLongEnough)) {
      if (words.has(value)) continue;
      if (!remembered.has(value)) pattern = null;
      remembered.set(value, formsOf(value));
      const [oldest] = remembered.keys();
      if (remembered.size > MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
    }
  };
  const patternOf = (): RegExp => {
    pattern ??= patternFor([...remembered.values()].flat().concat(ofExchange.flatMap(formsOf)));
    return pattern;
  };

  add(
    Object.entries(process.env).flatMap(([name, value]) =>
      SECRET_VARIABLE.test(name) && value !== undefined ? [value] : [],
    ),
  );
  return {
    add,
    hide: (text) => text.replace(patternOf(), HIDDEN),
    isIn: (text) => text.search(patternOf()) >= 0,
    begin({ headers, url, tokens }) {
      const others: string[] = [];
      for (const [name, value] of Object.entries(headers)) {
        if (value === undefined || HARMLESS.test(name.toLowerCase())) continue;
        const values = [value].flat().flatMap((each) => [each, ...partsOf(each)]);
        if (LASTING.test(name.toLowerCase())) add(values);
        else others.push(...values);
      }
      add([...tokens, ...tokensIn(url)].flatMap((token) => [token, decoded(token)]));
      ofExchange = others.filter((value) => isLongEnough(value) && !words.has(value));
      pattern = null;
    },
  };
}

const isLongEnough = (value: string): boolean => value.length >= MIN_LENGTH;

/** The forms in which a body may repeat a secret. */
function formsOf(secret: string): readonly string[] {
  const base64 = Buffer.from(secret).toString('base64').replace(/=+$/, '');
  return [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    base64,
    base64.replaceAll('+', '-').replaceAll('/', '_'),
    Buffer.from(secret).toString('hex'),
  ];
}

/** Longer forms first, so that none leaves a rest. */
function patternFor(forms: readonly string[]): RegExp {
  const sources = [...new Set(forms)]
    .sort((one, other) => other.length - one.length)
    .map((form) => form.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'));
  return new RegExp(sources.join('|') || '(?!)', 'gi');
}

/** The credentials in a header: behind a scheme, in Basic, in the pairs of a cookie or of Digest. */
function partsOf(header: string): string[] {
  const [, scheme = '', rest = ''] = /^(\S+)\s+(.*)$/s.exec(header) ?? [];
  const pair = /^basic$/i.test(scheme) ? Buffer.from(rest, 'base64').toString() : '';
  const [user = '', ...password] = pair.split(':');
  const values = header.split(/[;,\s]+/).map((part) => part.replace(/^[^=]*=/, '').replace(/^"|"$/g, ''));
  const parts = [rest, pair, user, password.join(':'), ...values];
  // Node reads headers as latin1, and bodies as UTF-8.
  return [...parts, ...parts.map((part) => Buffer.from(part, 'latin1').toString())].filter(
    (part) => !/^(bearer|basic|digest)$/i.test(part),
  );
}

const TOKEN_SEGMENT = /^[\w.~%-]{16,}$/;

/** Segments that look like tokens, and the values of a query. */
function tokensIn(url: string): string[] {
  const [path = '', query = ''] = url.replace(/^https?:\/\/[^/?]*/i, '').split(/\?(.*)/s);
  const values = query.split('&').map((pair) => pair.replace(/^[^=]*=/, ''));
  return [...path.split('/').filter((segment) => TOKEN_SEGMENT.test(segment)), ...values];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
