import type { BusinessHours, Weekday } from '../../bridge/index.js';
import { configError } from '../../internal/index.js';

const WEEK = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const satisfies readonly Weekday[];

const NAMES: readonly string[] = WEEK;

const EXAMPLE = 'Europe/Berlin mon-fri 09:00-12:30 13:30-17:00, sat 10:00-14:00';

/**
 * Reads business hours written as one line: the time zone, then days with their ranges, such as
 * `Europe/Berlin mon-fri 09:00-17:00, sat 10:00-14:00`.
 */
export function parseBusinessHours(line: string): BusinessHours {
  const [timeZone = '', ...rest] = line.trim().split(/\s+/);
  const open: Partial<Record<Weekday, string[]>> = {};
  for (const part of rest.join(' ').split(',')) {
    const [days = '', ...ranges] = part.trim().split(' ');
    if (ranges.length === 0) throw configError(`must name a time zone, days and hours, such as ${EXAMPLE}.`);
    for (const day of daysOf(days)) open[day] = [...(open[day] ?? []), ...ranges];
  }
  return { timeZone, open };
}

function daysOf(text: string): readonly Weekday[] {
  const [from, to = from] = text.toLowerCase().split('-');
  const place = (name = ''): number => NAMES.indexOf(name);
  const first = place(from);
  const last = place(to);
  if (first < 0 || last < 0) throw configError(`has a day that does not exist; write them as in ${EXAMPLE}.`);
  // From Saturday to Monday goes over the end of the week.
  const length = ((last - first + 7) % 7) + 1;
  return Array.from({ length }, (_, index) => WEEK[(first + index) % 7] ?? 'mon');
}
