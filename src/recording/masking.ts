import {
  CLOSE_TYPES,
  HANDOFF_PATHS,
  HEALTHY,
  MESSAGE_TYPES,
  PLATFORM_PATHS,
  WEBHOOK_TYPES,
} from '../protocol/index.js';
import { maskText } from './mask-text.js';
import { HIDDEN, type Secrets } from './secrets.js';

/** Texts of the contract, which say nothing about anyone. */
const CONSTANTS: ReadonlySet<string> = new Set([
  ...MESSAGE_TYPES,
  ...CLOSE_TYPES,
  ...WEBHOOK_TYPES,
  HEALTHY,
  'success',
  'true',
  'false',
]);

const TIMES: ReadonlySet<string> = new Set(['timestamp', 'create_time']);

/** Other fields of the contract with numbers that are written. */
const NUMBER_FIELD = /^(code|http_status|latency_ms|istest|\w+_(tokens|credits))$/;

/** Fields of the contract whose names look like those of secrets. */
const HARMLESS_FIELD = /^(\w+_)?tokens(_details)?$/;

/** Words that are in every recording, whatever was recorded. */
export const RECORDED_WORDS: ReadonlySet<string> = new Set([
  ...CONSTANTS,
  ...TIMES,
  ...Object.keys(HANDOFF_PATHS),
  ...Object.keys(PLATFORM_PATHS),
  'message',
  'output',
  'content',
  'transcript',
  'conversation',
  'user_info',
  'usage',
  'tokens',
  'credits',
]);

const ID_FIELD = /^id$|_id$|[a-z]Id$/;
/** Pseudonyms have six characters or more, so that they are found in texts. */
const ID_KINDS: Readonly<Record<string, string>> = {
  conversation_id: 'conversation',
  message_id: 'message',
  user_id: 'user',
  anonymous_id: 'user',
  bot_id: 'bot-id',
  component_id: 'component',
};

const SECRET_FIELD =
  /apikey|accesskey|privatekey|token|secret|passw|pwd|authori|credential|cookie|session|signature/;
const PLAIN_FIELD = /^[A-Za-z_][\w-]{0,39}$/;
const DECIMAL = /^\d{1,20}(?:\.\d{1,9})?$/;
const URL_IN_TEXT = /([a-z][a-z0-9+.-]*):\/\/(?:[^\s/@"'<>]*@)?([^\s/?#"'<>]*)[^\s"'<>]*/gi;
const WHOLE_URL = /^[a-z][a-z0-9+.-]*:\/\/\S*$/i;

/** Parts of a text that look like credentials, by the words before them or by themselves. */
const AFTER_SCHEME = /\b(bearer|(?:basic|digest)(?=\s+\S*[\d=]))\s+[^\s"',;]{4,}/gi;
const AFTER_NAME =
  /((?:api[-_ ]?key|token|secret|passw(?:or)?d|pwd|authorization|credentials?|cookie|session(?:[-_ ]?id)?)["'\\\s]*[:=]["'\\\s]*)[^\s"'\\,;&]{3,}/gi;
const LONG_RUN = /[\w+/=.~-]{20,}/g;
const isTokenLike = (run: string): boolean => /\d/.test(run) && /[a-z]/i.test(run);

/** Deeper values are not written. */
const MAX_DEPTH = 100;

/** Makes bodies and answers safe to write. */
export interface Masker {
  /** Masks a value. Throws if it cannot be made safe. */
  mask(value: unknown): unknown;
  /** Makes a pseudonym known: for a replay, which gives conversations new ids. */
  name(id: string, pseudonym: string): void;
  /** The number of ids with pseudonyms. */
  readonly idCount: () => number;
}

/**
 * Ids get pseudonyms, secrets are hidden, and words are masked unless `keepContent`. Masking what was masked changes
 * nothing, so that a replay can compare.
 */
export function createMasker({ keepContent, secrets }: { keepContent: boolean; secrets: Secrets }): Masker {
  const pseudonyms = new Map<string, string>();
  const counts = new Map<string, number>();

  const pseudonymOf = (field: string, id: string): string => {
    const known = pseudonyms.get(id);
    if (known !== undefined) return known;
    const kind = ID_KINDS[field] ?? 'other-id';
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    const pseudonym = `${kind}-${count}`;
    pseudonyms.set(id, pseudonym);
    return pseudonym;
  };

  const keptText = (text: string): string =>
    text
      .replace(URL_IN_TEXT, '$1://$2/')
      .replace(AFTER_SCHEME, `$1 ${HIDDEN}`)
      .replace(AFTER_NAME, `$1${HIDDEN}`)
      .replace(LONG_RUN, (run) => (isTokenLike(run) ? HIDDEN : run));

  const maskString = (text: string, keeps: boolean, depth: number): string => {
    if (CONSTANTS.has(text)) return text;
    if (WHOLE_URL.test(text)) return 'https://example.invalid/';
    const nested = keeps && /^\s*["{[]/.test(text) ? parsed(text) : undefined;
    if (nested !== undefined) return JSON.stringify(maskValue(nested, '', keeps, depth + 1));
    return replaceIds(secrets.hide(text), pseudonyms, keeps ? keptText : maskText);
  };

  const maskValue = (value: unknown, field: string, keeps: boolean, depth: number): unknown => {
    if (depth > MAX_DEPTH) throw new RangeError('too deep');
    if (value === null || typeof value === 'boolean' || value === '') return value;
    if (Array.isArray(value)) return value.map((each) => maskValue(each, field, keeps, depth + 1));
    if (typeof value === 'object') return maskObject(value, keeps, depth);
    if (typeof value !== 'string' && typeof value !== 'number') return null;
    if (isSecretField(field)) return typeof value === 'number' ? 0 : HIDDEN;
    if (ID_FIELD.test(field)) return pseudonymOf(field, String(value));
    if ((TIMES.has(field) || NUMBER_FIELD.test(field)) && DECIMAL.test(String(value))) return value;
    if (typeof value === 'string') return maskString(value, keeps, depth);
    return keeps ? value : maskNumber(value);
  };

  const maskObject = (value: object, keeps: boolean, depth: number): object =>
    Object.fromEntries(
      Object.entries(value).map(([field, each]) => {
        // A name in other letters may imitate one of a secret.
        const isPlain = PLAIN_FIELD.test(field) && !secrets.isIn(field) && !isLongToken(field);
        return isPlain
          ? [field, maskValue(each, field, keeps && !isSecretField(field), depth + 1)]
          : [maskText(secrets.hide(field)), maskValue(each, '', false, depth + 1)];
      }),
    );

  return {
    mask(value) {
      const masked = maskValue(value, '', keepContent, 0);
      if (secrets.isIn(JSON.stringify(masked) ?? '')) throw new Error('a secret is left');
      return masked;
    },
    name: (id, pseudonym) => void pseudonyms.set(id, pseudonym),
    idCount: () => pseudonyms.size,
  };
}

const isLongToken = (field: string): boolean => field.length >= 20 && isTokenLike(field);

const isSecretField = (field: string): boolean =>
  !HARMLESS_FIELD.test(field) &&
  SECRET_FIELD.test(
    field
      .normalize('NFKC')
      .toLowerCase()
      .replaceAll(/[^a-z]/g, ''),
  );

/** Runs in which ids are looked for, and parts of them: an id may have a colon, or stand before one. */
const RUN = /[\w.:@/+-]*\w/g;
const PART = /[\w-]*\w/g;

/** The fields of a value that hold ids, at any depth. */
export function idsIn(value: unknown): (readonly [field: string, id: string])[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([field, each]) =>
    ID_FIELD.test(field) && (typeof each === 'string' || typeof each === 'number')
      ? [[field, String(each)] as const]
      : idsIn(each),
  );
}

/** A value as it is compared: without times, and without ids that differ with each run. */
export function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([field]) => !TIMES.has(field))
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([field, each]) => [
        field,
        ID_FIELD.test(field) && field !== 'conversation_id' ? 'id' : comparable(each),
      ]),
  );
}

/** Replaces known ids in a text by their pseudonyms, and changes what is between them. */
export function replaceIds(
  text: string,
  pseudonyms: ReadonlyMap<string, string>,
  change: (rest: string) => string,
): string {
  if (pseudonyms.size === 0) return change(text);
  const found: { readonly start: number; readonly end: number; readonly pseudonym: string }[] = [];
  const look = (
    pattern: RegExp,
    within: string,
    offset: number,
    otherwise?: (run: string, at: number) => void,
  ) => {
    for (const { 0: run, index } of within.matchAll(pattern)) {
      const pseudonym = run.length < MIN_ID_LENGTH ? undefined : pseudonyms.get(run);
      const start = offset + index;
      if (pseudonym !== undefined) found.push({ start, end: start + run.length, pseudonym });
      else otherwise?.(run, start);
    }
  };
  look(RUN, text, 0, (run, start) => look(PART, run, start));
  let result = '';
  let done = 0;
  for (const { start, end, pseudonym } of found) {
    result += change(text.slice(done, start)) + pseudonym;
    done = end;
  }
  return result + change(text.slice(done));
}

/** Shorter ids occur in ordinary words. */
const MIN_ID_LENGTH = 6;

/** A number of as many digits. */
const maskNumber = (value: number): number => {
  const digits = String(Math.trunc(Math.abs(value))).length;
  return value === 0 ? 0 : Math.sign(value) * 10 ** Math.min(digits - 1, 15);
};

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
