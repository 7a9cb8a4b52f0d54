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
      "another process repeats a killed process's run",
      ['1 begin c 0', '1 end c 0', '2 begin c 0', '2 end c 0'],
    ],
    ['another process reclaims from a killed process', ['1 begin c 0', '2 begin c 0', '2 end c 0']],
    [
      'a process repeats its own run after a pause',
      ['1 begin c 0', '1 continue', '1 end c 0', '1 begin c 0', '1 end c 0'],
    ],
    [
      'a process repeats its own run after it was late',
      ['3 begin c 0', '3 end c 0', '3 late', '3 begin c 0', '3 end c 0'],
    ],
    [
      'another process repeats the run of one that was late',
      ['3 begin c 0', '3 end c 0', '2 begin c 0', '3 late', '2 end c 0'],
    ],
    [
      'a paused process finishes its run after another has reclaimed it',
      ['1 begin c 0', '2 begin c 0', '1 continue', '1 end c 0', '2 end c 0'],
    ],
  ])('accepts that %s', (_what, journal) => {
    expect(violationsIn(...journal)).toEqual([]);
  });

  it.each([
    [
      "another process repeats a living process's run",
      ['2 begin c 0', '2 end c 0', '1 begin c 0', '1 end c 0'],
    ],
    ['another process reclaims from a living process', ['2 begin c 0', '1 begin c 0', '1 end c 0']],
    [
      'a process repeats its own run without a pause',
      ['1 continue', '1 begin c 0', '1 end c 0', '1 begin c 0', '1 end c 0', '1 continue'],
    ],
    [
      'a process repeats its own run after a pause of another',
      ['1 begin c 0', '2 continue', '1 end c 0', '1 begin c 0', '1 end c 0'],
    ],
  ])('reports that %s', (_what, journal) => {
    expect(violationsIn(...journal)).toEqual([
      expect.stringContaining('was neither killed nor paused nor late'),
    ]);
  });
});
