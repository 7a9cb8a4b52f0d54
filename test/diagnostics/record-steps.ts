import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { onTestFinished } from 'vitest';
import { channels, observeStep } from '../../src/diagnostics/index.js';
import type { FailureMessage, Steps } from '../../src/public/diagnostics.js';
import { createCondition } from '../helpers/deferred.js';

/** A message that a step published. */
export interface RecordedStep {
  readonly step: keyof Steps;
  readonly phase: 'start' | 'end';
  readonly message: Readonly<Record<string, unknown>>;
}

/** Records the beginning and the end of every step, and every failure, until the test ends. */
export function recordSteps(onStart: (step: keyof Steps, message: Steps[keyof Steps]) => void = () => {}) {
  const recorded: RecordedStep[] = [];
  const failures: FailureMessage[] = [];
  const condition = createCondition();
  for (const step of Object.keys(channels) as (keyof Steps)[]) {
    const record =
      (phase: RecordedStep['phase']) =>
      (message: Steps[keyof Steps]): void => {
        if (phase === 'start') onStart(step, message);
        recorded.push({ step, phase, message: { ...message } });
        condition.changed();
      };
    onTestFinished(observeStep(step, { onStart: record('start'), onEnd: record('end') }));
  }
  const onFailure = (message: unknown): void => void failures.push(message as FailureMessage);
  subscribe('handoff-kit:failure', onFailure);
  onTestFinished(() => void unsubscribe('handoff-kit:failure', onFailure));

  return {
    failures,
    /** The steps so far, such as `request (`, and `) request` at their end. */
    order: (): string[] => recorded.map(({ step, phase }) => (phase === 'start' ? `${step} (` : `) ${step}`)),
    /** The messages at the end of a step. */
    ended: (step: keyof Steps) =>
      recorded.filter((each) => each.step === step && each.phase === 'end').map(({ message }) => message),
    /** Waits until a step has ended this often. */
    until: (step: keyof Steps, count = 1): Promise<true> =>
      condition.until(
        () =>
          recorded.filter((each) => each.step === step && each.phase === 'end').length >= count || undefined,
      ),
  };
}
