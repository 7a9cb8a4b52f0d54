import express from 'express';
import { type BusinessHours, readHours, type Weekday } from '../bridge/index.js';
import { configError } from '../internal/index.js';

/** The proxies whose `X-Forwarded-*` headers Express trusts: none, all, a number of hops, or addresses. */
export type TrustProxy = boolean | number | readonly string[];

const TRUST_PROXY_RULE =
  'must be false, the number of proxies before this program, their addresses such as 10.0.0.0/8, loopback, or true.';
const MAX_PROXIES = 20;

/** Parses TRUST_PROXY. */
export function parseTrustProxy(text: string): TrustProxy {
  if (text === 'true') return true;
  if (text === 'false') return false;
  if (/^\d+$/.test(text)) {
    if (Number(text) >= 1 && Number(text) <= MAX_PROXIES) return Number(text);
    throw configError(TRUST_PROXY_RULE);
  }
  const addresses = text.split(',').map((address) => address.trim());
  try {
    express().set('trust proxy', addresses);
  } catch {
    throw configError(TRUST_PROXY_RULE);
  }
  return addresses;
}

const WEEK = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const satisfies readonly Weekday[];
const WEEKDAY_NAMES: readonly string[] = WEEK;
const HOURS_EXAMPLE = 'Europe/Berlin mon-fri 09:00-12:30 13:30-17:00, sat 10:00-14:00';

/**
 * Parses BUSINESS_HOURS: the time zone, then days with their ranges, such as
 * `Europe/Berlin mon-fri 09:00-17:00, sat 10:00-14:00`.
 */
export function parseBusinessHours(line: string): BusinessHours {
  const [timeZone = '', ...rest] = line.trim().split(/\s+/);
  const open: Partial<Record<Weekday, string[]>> = {};
  for (const part of rest.join(' ').split(',')) {
    const [days = '', ...ranges] = part.trim().split(' ');
    if (ranges.length === 0) {
      throw configError(`must name a time zone, days and hours, such as ${HOURS_EXAMPLE}.`);
    }
    for (const day of parseDays(days)) open[day] = [...(open[day] ?? []), ...ranges];
  }
  const hours = { timeZone, open };
  readHours(hours);
  return hours;
}

function parseDays(text: string): readonly Weekday[] {
  const [from = '', to = from] = text.toLowerCase().split('-');
  const first = WEEKDAY_NAMES.indexOf(from);
  const last = WEEKDAY_NAMES.indexOf(to);
  if (first < 0 || last < 0) {
    throw configError(`has a day that does not exist; write them as in ${HOURS_EXAMPLE}.`);
  }
  // A range such as sat-mon wraps around the end of the week.
  const length = ((last - first + 7) % 7) + 1;
  return Array.from({ length }, (_, index) => WEEK[(first + index) % 7] ?? 'mon');
}

/** Parses PUBLIC_URL; gives it without a slash at the end. */
export function parsePublicUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '') {
    return url.href.replace(/\/+$/, '');
  }
  throw configError('must be the address of this program, such as https://help.example.com.');
}

const ROLE_NAMES = ['agent', 'supervisor', 'administrator'] as const;

/** A role of an agent at the desk. */
type RoleName = (typeof ROLE_NAMES)[number];

/** Parses DESK_OPENID_ROLES, such as `support=agent,it=administrator`. */
export function parseRoles(text: string): Readonly<Record<string, RoleName>> {
  const pairs = text.split(',').map((pair) => {
    const at = pair.lastIndexOf('=');
    const value = pair.slice(0, at).trim();
    const role = ROLE_NAMES.find((name) => name === pair.slice(at + 1).trim());
    if (at > 0 && value !== '' && role) return [value, role] as const;
    throw configError('must name roles as in support=agent,leads=supervisor,it=administrator.');
  });
  return Object.fromEntries(pairs);
}
