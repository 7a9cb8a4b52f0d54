import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { onStopSignal } from '../../src/standalone/signals.js';

/** Sends signals at these moments and tells what they led to. */
function actionsOn(signals: readonly (readonly [signal: NodeJS.Signals, ms: number])[]): string[] {
  const source = new EventEmitter();
  const actions: string[] = [];
  onStopSignal(source, {
    first: (signal) => actions.push(`first ${signal}`),
    again: () => actions.push('again'),
  });
  for (const [signal, ms] of signals) {
    vi.setSystemTime(ms);
    source.emit(signal, signal);
  }
  return actions;
}

describe('a signal to stop', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('is heard: %s', (signal) => {
    expect(actionsOn([[signal, 0]])).toEqual([`first ${signal}`]);
  });

  it('that comes twice at nearly the same time, as Ctrl-C does under npm, counts once', () => {
    expect(
      actionsOn([
        ['SIGINT', 0],
        ['SIGINT', 199],
      ]),
    ).toEqual(['first SIGINT']);
  });

  it('that comes again later is a second wish', () => {
    expect(
      actionsOn([
        ['SIGINT', 0],
        ['SIGINT', 200],
      ]),
    ).toEqual(['first SIGINT', 'again']);
  });

  it('of another kind is a second wish at once', () => {
    expect(
      actionsOn([
        ['SIGTERM', 0],
        ['SIGINT', 1],
      ]),
    ).toEqual(['first SIGTERM', 'again']);
  });
});
