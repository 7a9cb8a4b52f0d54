import type { Hours } from './hours.js';

const HOUR_MS = 3_600_000;

/** The time zone of the desk: that of its business hours; until they have one, the server's. */
export async function readTimeZone(hours: Pick<Hours, 'read'>): Promise<string> {
  const { mode, configured, timeZone } = await hours.read();
  const isConfigured = mode === 'configured' && configured !== null && configured !== 'function';
  return (
    (isConfigured ? configured.timeZone : timeZone) || new Intl.DateTimeFormat().resolvedOptions().timeZone
  );
}

/** Gives the day of a time in a time zone, such as `2026-03-02`. */
export function daysIn(timeZone: string): (at: number) => string {
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  return (at) => {
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
    return `${parts.year?.padStart(4, '0')}-${parts.month}-${parts.day}`;
  };
}

/** The first moment of a day in a time zone, which is not always midnight. */
export function startOfDay(day: string, timeZone: string): number {
  const dayOf = daysIn(timeZone);
  // Time zones are at most 14 hours ahead of or behind UTC.
  let before = Date.parse(day) - 15 * HOUR_MS;
  let from = Date.parse(day) + 15 * HOUR_MS;
  while (from - before > 1) {
    const middle = Math.floor((before + from) / 2);
    if (dayOf(middle) < day) before = middle;
    else from = middle;
  }
  return from;
}

/** The day after a day. */
export const dayAfter = (day: string): string =>
  new Date(Date.parse(day) + 24 * HOUR_MS).toISOString().slice(0, 10);
