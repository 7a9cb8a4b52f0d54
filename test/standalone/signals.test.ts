import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { onStopSignal } from '../../src/standalone/signals.js';

/** Sends signals at these times. Returns the actions that they caused. */
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

  it.each(['SIGTERM', 'SIGINT'] as const)('is received: %s', (signal) => {
    expect(actionsOn([[signal, 0]])).toEqual([`first ${signal}`]);
  });

  it('counts once when it arrives twice within 200 ms, as Ctrl-C does under npm', () => {
    expect(
      actionsOn([
        ['SIGINT', 0],
        ['SIGINT', 199],
      ]),
    ).toEqual(['first SIGINT']);
  });

  it('counts twice when it arrives again later', () => {
    expect(
      actionsOn([
        ['SIGINT', 0],
        ['SIGINT', 200],
      ]),
    ).toEqual(['first SIGINT', 'again']);
  });

  it('counts twice when another signal follows at once', () => {
    expect(
      actionsOn([
        ['SIGTERM', 0],
        ['SIGINT', 1],
      ]),
    ).toEqual(['first SIGTERM', 'again']);
  });
});
