import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createDeadlines } from '../../src/internal/index.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('deadlines', () => {
  it('fall due in the order they were made, each after its time', () => {
    const due: string[] = [];
    const deadlines = createDeadlines(100);
    deadlines.start(() => due.push('first'));
    vi.advanceTimersByTime(60);
    deadlines.start(() => due.push('second'));
    vi.advanceTimersByTime(41);
    expect(due).toEqual(['first']);
    vi.advanceTimersByTime(60);
    expect(due).toEqual(['first', 'second']);
  });

  it.each([0, 1, 2])('number %i can be cleared, also twice, and the others stay', (index) => {
    const due: number[] = [];
    const deadlines = createDeadlines(100);
    const started = [0, 1, 2].map((number) => deadlines.start(() => due.push(number)));
    started[index]?.clear();
    started[index]?.clear();
    vi.advanceTimersByTime(101);
    expect(due).toEqual([0, 1, 2].filter((number) => number !== index));
  });

  it('can be cleared by one that falls due before', () => {
    const due: string[] = [];
    const deadlines = createDeadlines(100);
    deadlines.start(() => second.clear());
    const second = deadlines.start(() => due.push('second'));
    deadlines.start(() => due.push('third'));
    vi.advanceTimersByTime(101);
    expect(due).toEqual(['third']);
  });

  it('go on after all have passed', () => {
    let count = 0;
    const deadlines = createDeadlines(100);
    for (let round = 0; round < 3; round += 1) {
      deadlines.start(() => {
        count += 1;
      });
      vi.advanceTimersByTime(200);
    }
    expect(count).toBe(3);
    expect(vi.getTimerCount()).toBe(0);
  });
});
