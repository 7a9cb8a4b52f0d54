/**
 * The base of every error that this package throws. Its `message` says what is wrong and what to do; it never
 * contains a secret or a user's words.
 *
 * @example
 * receiver.onError(({ error, log }) => {
 *   if (error instanceof HandoffKitError && error.code === 'HANDLER_TIMEOUT') log.warn({}, 'a slow handler');
 * });
 */
export class HandoffKitError extends Error {
  /**
   * Identifies the kind of error. Codes are stable: test for them and not for the message. The page "Troubleshooting"
   * has an entry for each.
   */
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
}

/** The longest delay of a Node timer; a longer one would fire at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** An error about a setting: what is wrong and what to do. Never shows a secret. */
export function configError(message: string): HandoffKitError {
  return new HandoffKitError('CONFIG_INVALID', message);
}

/** Checks a duration in milliseconds; the error names the option. */
export function checkDuration(option: string, value: number): number {
  if (Number.isInteger(value) && value >= 1 && value <= LONGEST_TIMER_MS) return value;
  throw configError(`${option} must be a whole number of milliseconds, from 1 to ${LONGEST_TIMER_MS}.`);
}

/** Checks a whole number from 1 on; the error names the option. */
export function checkCount(option: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw configError(`${option} must be a whole number, 1 or more.`);
}
