import { resolve } from 'node:path';
import { z } from 'zod';
import type { BusinessHours, Weekday } from '../../bridge/index.js';

/** A text of a form. */
export const matching = (form: RegExp, message: string) => z.string().regex(form, message);

/** Texts separated by commas: several words, or two secrets during a rotation. */
export const list = <Item extends z.ZodType<unknown, string>>(item: Item) =>
  z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.array(item));

/** Names with values, such as `a=1, b=2`, each of which has the form. */
export const pairs = (form: RegExp, message: string) =>
  list(matching(form, message)).transform((parts) => Object.fromEntries(parts.map(pairOf)));

function pairOf(part: string): [string, string] {
  const at = part.lastIndexOf('=');
  return [part.slice(0, at).trim(), part.slice(at + 1).trim()];
}

/** An http or https URL without user, password, query and fragment, and without a slash at the end. */
export const httpUrl = (message: string) =>
  z
    .string()
    .refine((text) => {
      const url = URL.canParse(text) ? new URL(text) : null;
      return /^https?:$/.test(url?.protocol ?? '') && !/[?#]/.test(text) && !url?.username && !url?.password;
    }, message)
    .transform((text) => text.replace(/\/+$/, ''));

/** A whole number. */
export function wholeNumber(min: number, max: number, more = '') {
  const message = `must be a whole number from ${min} to ${max}${more}.`;
  const isInRange = (text: string): boolean => Number(text) >= min && Number(text) <= max;
  return z
    .string()
    .regex(/^\d{1,9}$/, message)
    .refine(isInRange, message)
    .transform(Number);
}

const UNITS: Readonly<Record<string, number>> = { '': 1, b: 1, kb: 1_024, mb: 1_048_576, ms: 1, s: 1_000 };

/** A size or a time: a number with one of the units. */
const quantity = (units: string, min: number, max: number, message: string) =>
  z
    .string()
    .regex(new RegExp(`^\\d{1,9}(${units})$`, 'i'), message)
    .transform((text) => Number.parseInt(text, 10) * (UNITS[text.replace(/^\d+/, '').toLowerCase()] ?? 1))
    .pipe(z.number().min(min, message).max(max, message));

/** A size in bytes. */
export const size = (max: number, message: string) => quantity('b|kb|mb|', 1, max, message);

/** A time of at most an hour, in milliseconds. */
export const duration = (message: string, min = 1) => quantity('ms|s', min, 3_600_000, message);

/** The paths of health and metrics. MOUNT_PATH cannot be one of them, and their requests are logged at debug. */
export const HEALTH_PATHS: readonly string[] = ['/healthz', '/readyz', '/metrics'];

/** The value of `DATABASE_URL` when it is not set. */
export const DEFAULT_DATABASE_URL = 'sqlite:./handoff.db';

/** A credential that a header carries. */
export const credential = (missing?: string) =>
  z
    .string(missing)
    .regex(/^(?!\s)\P{Cc}+(?<!\s)$/u, 'has white space around it, or a control character. Copy it again.');

export const mountPath = matching(
  /^(?!.*\/\/)\/[\w\-.~/]*$/,
  'must be a path that begins with "/", made of letters, digits and "-._~/", such as /webhook.',
)
  .transform((path) => path.replace(/(?<=.)\/$/, ''))
  .refine(
    (path) => !HEALTH_PATHS.includes(path.toLowerCase()),
    'is taken by the health checks: choose another path.',
  )
  .refine(
    (path) => !/^\/(desk|adapters)(\/|$)/i.test(path),
    'is taken by the desk and adapters: choose another path.',
  )
  .default('/webhook');

/** The proxies whose `X-Forwarded-*` headers Express trusts: none, all, a number of hops, or addresses. */
export const trustProxy = z
  .union(
    [
      z.stringbool({ truthy: ['true'], falsy: ['false'] }),
      wholeNumber(1, 20),
      list(
        z.union([
          z.ipv4(),
          z.ipv6(),
          z.cidrv4(),
          z.cidrv6(),
          z.literal(['loopback', 'linklocal', 'uniquelocal']),
        ]),
      ),
    ],
    'must be false, the number of proxies before this program, their addresses such as 10.0.0.0/8, loopback, or true.',
  )
  .default(false);

/** The database that `DATABASE_URL` names. */
export type DatabaseChoice =
  | { readonly kind: 'none' }
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'postgres'; readonly url: string };

/** What follows the first of several servers in the address of a PostgreSQL cluster. */
const OTHER_SERVERS = /^(\w+:\/\/(?:[^@/]*@)?[^/?,]*),[^/?]*/;

export const databaseUrl = matching(
  /^(none|sqlite:.*|postgres(ql)?:\/\/.*)$/s,
  'must be sqlite:<file>, postgres://<user>:<password>@<host>/<database>, or none, which stores nothing.',
)
  // The meaning of slashes differs from tool to tool, and `:memory:` would store nothing.
  .refine(
    (url) => !/^sqlite:(\s*$|\/\/|:)/.test(url),
    'must name a file right after "sqlite:", such as sqlite:./handoff.db or sqlite:/var/lib/handoff.db.',
  )
  .refine(
    (url) => !url.startsWith('postgres') || URL.canParse(url.replace(OTHER_SERVERS, '$1')),
    'is no URL that can be read. Write special characters of the user and password as %23 and so on.',
  )
  .transform((url): DatabaseChoice => {
    if (url.startsWith('postgres')) return { kind: 'postgres', url };
    return url.startsWith('sqlite:') ? { kind: 'sqlite', file: resolve(url.slice(7)) } : { kind: 'none' };
  })
  .prefault(DEFAULT_DATABASE_URL);

const WEEK = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const satisfies readonly Weekday[];
const WEEKDAY_NAMES: readonly string[] = WEEK;
const HOURS_EXAMPLE = 'Europe/Berlin mon-fri 09:00-12:30 13:30-17:00, sat 10:00-14:00';
const TIME_RANGE = /^(([01]\d|2[0-3]):[0-5]\d)-(?!\1)(([01]\d|2[0-3]):[0-5]\d|24:00)$/;

/** The time zone, then days with their ranges, such as `Europe/Berlin mon-fri 09:00-17:00, sat 10:00-14:00`. */
export const businessHours = z.string().transform(hoursOf).optional();

function hoursOf(line: string, context: z.RefinementCtx): BusinessHours {
  const [timeZone = '', ...rest] = line.trim().split(/\s+/);
  const open: Partial<Record<Weekday, string[]>> = {};
  if (!isTimeZone(timeZone)) context.addIssue('the time zone must be an IANA name such as Europe/Berlin.');
  for (const part of rest.join(' ').split(',')) {
    const [days = '', ...ranges] = part.trim().split(' ');
    if (ranges.length === 0)
      context.addIssue(`must name a time zone, days and hours, such as ${HOURS_EXAMPLE}.`);
    if (!ranges.every((range) => TIME_RANGE.test(range)))
      context.addIssue(`${days} must hold ranges such as 09:00-17:30.`);
    const named = daysOf(days);
    if (named.length === 0)
      context.addIssue(`has a day that does not exist; write them as in ${HOURS_EXAMPLE}.`);
    for (const day of named) open[day] = [...(open[day] ?? []), ...ranges];
  }
  return { timeZone, open };
}

function isTimeZone(timeZone: string): boolean {
  try {
    Intl.DateTimeFormat('en', { timeZone });
    return true;
  } catch {
    return false;
  }
}

/** The days of a range, which may wrap around the end of the week, such as `sat-mon`; none if one does not exist. */
function daysOf(range: string): readonly Weekday[] {
  const [first, last = first] = range
    .toLowerCase()
    .split('-')
    .map((day) => WEEKDAY_NAMES.indexOf(day));
  if (first === undefined || last === undefined || first < 0 || last < 0) return [];
  return Array.from(
    { length: ((last - first + 7) % 7) + 1 },
    (_, index) => WEEK[(first + index) % 7] ?? 'mon',
  );
}
