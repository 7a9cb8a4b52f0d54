import { describe, expect, it } from 'vitest';
import { checkGuarantees } from './check-guarantees.js';

/** Checks a journal of one conversation with one event. Process 1 was killed or paused. */
const violationsIn = (...journal: readonly string[]): readonly string[] =>
  checkGuarantees({
    journal: journal.join('\n'),
    accepted: new Map([['c', 1]]),
    replies: new Map([['c', [0]]]),
    disturbed: new Set([1]),
  }).violations;

describe('the check of the crash test', () => {
  it.each([
    [
      'another process repeats a run of one that was killed',
      ['1 begin c 0', '1 end c 0', '2 begin c 0', '2 end c 0'],
    ],
    ['another process takes over from one that was killed', ['1 begin c 0', '2 begin c 0', '2 end c 0']],
    [
      'a process repeats its own run after a pause',
      ['1 begin c 0', '1 continue', '1 end c 0', '1 begin c 0', '1 end c 0'],
    ],
    [
      'a process that was paused goes on after another has taken over',
      ['1 begin c 0', '2 begin c 0', '1 continue', '1 end c 0', '2 end c 0'],
    ],
  ])('accepts that %s', (_what, journal) => {
    expect(violationsIn(...journal)).toEqual([]);
  });

  it.each([
    [
      'another process repeats a run of one that lives',
      ['2 begin c 0', '2 end c 0', '1 begin c 0', '1 end c 0'],
    ],
    ['another process takes over from one that lives', ['2 begin c 0', '1 begin c 0', '1 end c 0']],
    [
      'a process repeats its own run without a pause in between',
      ['1 continue', '1 begin c 0', '1 end c 0', '1 begin c 0', '1 end c 0', '1 continue'],
    ],
    [
      'a process repeats its own run after a pause of another',
      ['1 begin c 0', '2 continue', '1 end c 0', '1 begin c 0', '1 end c 0'],
    ],
  ])('reports that %s', (_what, journal) => {
    expect(violationsIn(...journal)).toEqual([expect.stringContaining('was neither killed nor paused')]);
  });
});
