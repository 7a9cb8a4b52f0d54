import { HandoffKitError } from './error.js';

/** The longest time a timer of Node can hold; a longer one would fire at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** What is wrong with a setting, and how to put it right. Never shows a secret. */
export function configError(message: string): HandoffKitError {
  return new HandoffKitError('CONFIG_INVALID', message);
}

/** A duration in whole milliseconds, or a configuration error that names the option. */
export function duration(option: string, value: number): number {
  if (Number.isInteger(value) && value >= 1 && value <= LONGEST_TIMER_MS) return value;
  throw configError(`${option} must be a whole number of milliseconds, from 1 to ${LONGEST_TIMER_MS}.`);
}

/** A whole number from 1 on, or a configuration error that names the option. */
export function quantityOf(option: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw configError(`${option} must be a whole number, 1 or more.`);
}
