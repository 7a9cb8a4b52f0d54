import { HandoffKitError } from '../internal/index.js';

/** One problem with the settings. It never holds the value, which may be a secret. */
export interface SettingProblem {
  /** The setting's name in the environment, or the source that has the problem. */
  readonly setting: string;
  /** The source of the value; `null` when there is no value. */
  readonly from: string | null;
  /** The problem and the remedy. */
  readonly message: string;
}

/** The settings do not let the program start. The message lists every problem at once. */
export class SettingsError extends HandoffKitError {
  /** Every problem, in the order of the message. */
  readonly problems: readonly SettingProblem[];

  constructor(problems: readonly SettingProblem[]) {
    super('SETTINGS_INVALID', messageOf(problems));
    this.problems = problems;
  }
}

function messageOf(problems: readonly SettingProblem[]): string {
  const width = Math.max(...problems.map(({ setting }) => setting.length));
  const lines = problems.map(
    ({ setting, from, message }) => `  ${setting.padEnd(width)}  ${message}${from ? ` (from ${from})` : ''}`,
  );
  const count = problems.length === 1 ? 'one thing is' : `${problems.length} things are`;
  return [`cannot start: ${count} wrong with the settings.`, '', ...lines].join('\n');
}
