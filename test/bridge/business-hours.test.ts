import { describe, expect, it } from 'vitest';
import { type BusinessHours, readHours } from '../../src/bridge/business-hours.js';

const berlin = {
  timeZone: 'Europe/Berlin',
  open: { mon: ['09:00-12:30', '13:30-17:00'], fri: ['22:00-02:00'], sun: ['00:00-24:00'] },
  closedOn: ['2026-11-16'],
} as const;

describe('business hours', () => {
  it.each([
    ['2026-11-09T07:59:59Z', false],
    ['2026-11-09T08:00:00Z', true],
    ['2026-11-09T11:30:00Z', false],
    ['2026-11-09T12:30:00Z', true],
    ['2026-11-09T16:00:00Z', false],
    // Daylight saving time: 09:00 in Berlin is 07:00 UTC.
    ['2026-07-06T07:00:00Z', true],
    ['2026-07-06T06:59:00Z', false],
    ['2026-11-10T10:00:00Z', false],
    // Friday's range continues on Saturday.
    ['2026-11-13T21:00:00Z', true],
    ['2026-11-14T00:59:00Z', true],
    ['2026-11-14T01:00:00Z', false],
    // All of Sunday, and Monday is a holiday.
    ['2026-11-14T23:00:00Z', true],
    ['2026-11-15T22:59:00Z', true],
    ['2026-11-16T10:00:00Z', false],
  ])('at %s: %s', (at, open) => {
    expect(readHours(berlin)(new Date(at))).toBe(open);
  });

  it('are always open by default, or follow a function', () => {
    expect(readHours(undefined)(new Date())).toBe(true);
    expect(readHours((at) => at.getTime() > 5)(new Date(5))).toBe(false);
  });

  it.each<[object, string]>([
    [{ ...berlin, timeZone: 'Europe/Atlantis' }, 'hours.timeZone'],
    [{ ...berlin, open: { mon: ['9-17'] } }, 'hours.open.mon'],
    [{ ...berlin, open: { mon: ['09:00-25:00'] } }, 'hours.open.mon'],
    [{ ...berlin, open: { mon: ['09:00-09:00'] } }, 'is empty'],
    [{ ...berlin, open: { monday: [] } }, 'does not know the day monday'],
    [{ ...berlin, closedOn: ['2026-02-30'] }, 'hours.closedOn'],
  ])('are refused when they are invalid: %j', (hours, message) => {
    expect(() => readHours(hours as BusinessHours)).toThrow(message);
  });
});
