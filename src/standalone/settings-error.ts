import { HandoffKitError } from '../internal/index.js';

/** One thing wrong with the settings. Never the value: it may be a secret. */
export interface SettingProblem {
  /** The name of the setting in the environment, or what else is wrong. */
  readonly setting: string;
  /** Where its value came from; `null` when it has none. */
  readonly from: string | null;
  /** What is wrong and what to do. */
  readonly message: string;
}

/** The settings do not let the program start. Its message lists everything that is wrong. */
export class SettingsError extends HandoffKitError {
  /** Everything that is wrong. */
  readonly problems: readonly SettingProblem[];

  constructor(problems: readonly SettingProblem[]) {
    super('SETTINGS_INVALID', listOf(problems));
    this.problems = problems;
  }
}

function listOf(problems: readonly SettingProblem[]): string {
  const width = Math.max(...problems.map(({ setting }) => setting.length));
  const lines = problems.map(
    ({ setting, from, message }) => `  ${setting.padEnd(width)}  ${message}${from ? ` (from ${from})` : ''}`,
  );
  const count = problems.length === 1 ? 'one thing is' : `${problems.length} things are`;
  return [`cannot start: ${count} wrong with the settings.`, '', ...lines].join('\n');
}
