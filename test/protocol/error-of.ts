import { ValidationError } from '../../src/protocol/index.js';

/** The validation error that a call throws; any other error is thrown again. */
export function errorOf(call: () => unknown): ValidationError {
  try {
    call();
  } catch (error) {
    if (error instanceof ValidationError) return error;
    throw error;
  }
  throw new Error('expected a ValidationError, and nothing was thrown');
}
