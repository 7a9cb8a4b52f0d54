import { expect, it } from 'vitest';
import { createAnnouncementLimit } from '../../src/desk/page/src/announcements.js';

it('announcements of a busy desk end, and begin again after a pause', () => {
  let now = 0;
  const isShown = createAnnouncementLimit(() => now);
  const everySecond = Array.from({ length: 60 }, () => {
    now += 1_000;
    return isShown();
  });
  expect(everySecond.slice(0, 12)).toEqual(Array(12).fill(true));
  expect(everySecond.slice(12)).toEqual(Array(48).fill(false));
  now += 5_000;
  expect(isShown()).toBe(true);
});
