import { configError } from '../internal/index.js';

/** A key of {@link BusinessHours.open}. */
export type Weekday = 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun';

/**
 * When agents are available.
 *
 * @example
 * const hours: BusinessHours = {
 *   timeZone: 'Europe/Berlin',
 *   open: { mon: ['09:00-12:30', '13:30-17:00'], tue: ['09:00-17:00'] },
 *   closedOn: ['2027-01-01'],
 * };
 */
export interface BusinessHours {
  /** An IANA time zone, such as `Europe/Berlin`. */
  readonly timeZone: string;
  /**
   * Ranges by weekday, such as `{ mon: ['09:00-12:30', '13:30-17:00'] }`. A weekday that is left out is closed. A
   * range that ends before it starts continues on the next day; `24:00` is midnight at the end of the day.
   */
  readonly open: Readonly<Partial<Record<Weekday, readonly string[]>>>;
  /** Holidays, such as `2027-01-01`. */
  readonly closedOn?: readonly string[];
}

/** Tells whether agents are available at a time. */
export type IsOpenAt = (at: Date) => boolean | Promise<boolean>;

const DAYS: readonly Weekday[] = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const RANGE = /^([01]\d|2[0-3]):([0-5]\d)-(?:([01]\d|2[0-3]):([0-5]\d)|24:00)$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DAY_MINUTES = 24 * 60;

/** Minutes since midnight, `to` excluded. `to` exceeds a day when the range continues on the next day. */
interface Range {
  readonly from: number;
  readonly to: number;
}

/** Compiles business hours into a function. Without hours, agents are always available. */
export function readHours(hours: BusinessHours | IsOpenAt | undefined): IsOpenAt {
  if (hours === undefined) return () => true;
  if (typeof hours === 'function') return hours;
  const local = localTime(hours.timeZone);
  const week = readWeek(hours.open);
  const closedOn = new Set(hours.closedOn?.map(checkedDate));
  return (at) => {
    const { date, yesterday, day, minute } = local(at);
    const isInRange = (weekday: number, time: number): boolean =>
      (week[weekday] ?? []).some(({ from, to }) => time >= from && time < to);
    // A range past midnight belongs to the day on which it started, even when today is a holiday.
    if (!closedOn.has(yesterday) && isInRange((day + 6) % 7, minute + DAY_MINUTES)) return true;
    return !closedOn.has(date) && isInRange(day, minute);
  };
}

function readWeek(open: BusinessHours['open']): readonly (readonly Range[])[] {
  const unknown = Object.keys(open).filter((day) => !(DAYS as readonly string[]).includes(day));
  if (unknown.length > 0) {
    throw configError(`hours.open does not know the day ${unknown.join(', ')}. It knows ${DAYS.join(', ')}.`);
  }
  return DAYS.map((day) => (open[day] ?? []).map((range) => readRange(day, range)));
}

function readRange(day: Weekday, range: string): Range {
  const [, fromHour, fromMinute, toHour, toMinute] = RANGE.exec(range) ?? [];
  if (fromHour === undefined) {
    throw configError(`hours.open.${day} must hold ranges such as '09:00-17:30'; got '${range}'.`);
  }
  const from = Number(fromHour) * 60 + Number(fromMinute);
  const to = toHour === undefined ? DAY_MINUTES : Number(toHour) * 60 + Number(toMinute);
  if (from === to) throw configError(`hours.open.${day}: '${range}' is empty. All day is '00:00-24:00'.`);
  return { from, to: to < from ? to + DAY_MINUTES : to };
}

function checkedDate(date: string): string {
  const isReal = DATE.test(date) && new Date(`${date}T00:00:00Z`).toJSON()?.startsWith(date);
  if (isReal) return date;
  throw configError(`hours.closedOn must hold days such as '2027-01-01'; got '${date}'.`);
}

interface LocalTime {
  readonly date: string;
  readonly yesterday: string;
  /** 0 is Sunday. */
  readonly day: number;
  readonly minute: number;
}

function localTime(timeZone: string): (at: Date) => LocalTime {
  const format = formatIn(timeZone);
  return (at) => {
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
    const date = `${parts.year}-${parts.month}-${parts.day}`;
    const noon = new Date(`${date}T12:00:00Z`);
    const yesterday = new Date(noon.getTime() - 86_400_000).toJSON().slice(0, 10);
    const minute = Number(parts.hour) * 60 + Number(parts.minute);
    return { date, yesterday, day: noon.getUTCDay(), minute };
  };
}

function formatIn(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-CA', {
      timeZone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
  } catch {
    throw configError(`hours.timeZone must be an IANA name such as 'Europe/Berlin'; got '${timeZone}'.`);
  }
}
