/**
 * Every code of a {@link HandoffKitError}, by the folder that throws it. A test compares the list with the sources:
 * it fails when a code is missing here, or is not thrown any more.
 */
export const ERROR_CODES = [
  // Options and registration of handlers
  'CONFIG_INVALID',
  'AUTH_CHOICE_MISSING',
  'INVALID_HANDLER',
  'REGISTRATION_CLOSED',
  'UNKNOWN_EVENT',
  'PLATFORM_NOT_CONFIGURED',
  'BOT_NOT_CONFIGURED',

  // Bodies that do not match the contract
  'INVALID_BODY',
  'OLD_MESSAGE_FORMAT',

  // Calls of the platform's API
  'PLATFORM_UNREACHABLE',
  'PLATFORM_TIMEOUT',
  'CONNECTION_LOST',
  'OUTCOME_UNKNOWN',
  'PLATFORM_REFUSED',
  'PLATFORM_AUTH_FAILED',
  'RATE_LIMITED',
  'PLATFORM_FAILED',
  'BAD_ANSWER',
  'ABORTED',

  // Handlers
  'EMPTY_ERROR',
  'NEXT_NOT_CALLED',
  'NEXT_CALLED_TWICE',
  'HANDLER_TIMEOUT',
  'PROCESS_ENDED',
  'POSTPONED',
  'UNRECOVERABLE',
  'SHUTTING_DOWN',
  'CLAIM_LOST',

  // Delivery and storage
  'NOT_STARTED',
  'NOT_STORED',
  'REPLY_FAILED',
  'REPLY_GONE',
  'CONVERSATION_CONTENDED',
  'DELIVERY_STOPPED',
  'SQLITE_MISSING',
  'PG_MISSING',
  'OPENTELEMETRY_MISSING',
  'DATABASE_UNUSABLE',
  'DATABASE_TOO_NEW',
  'DATABASE_READ_ONLY',
  'DATABASE_TIMEOUT',
  'DATABASE_FILE_GONE',

  // Adapters
  'ADAPTER_TRANSIENT',
  'ADAPTER_RATE_LIMITED',
  'ADAPTER_AUTH',
  'ADAPTER_GONE',
  'ADAPTER_INVALID',

  // The desk's answers to its page
  'NOT_FOUND',
  'NOT_ALLOWED',
  'WRONG_PASSWORD',
  'WRONG_CODE',
  'TOTP_REQUIRED',
  'BUSY',
  'NOT_YOURSELF',
  'AGENT_EXISTS',
  'TOO_MANY_TRIES',
  'TOO_MANY_STREAMS',
  'NO_PASSWORD',
  'OPENID_CLIENT_MISSING',
  'TEAMS_CHANGED',
  'RULES_CHANGED',
  'HOURS_CHANGED',
  'INVALID_HOURS',
  'NO_SUCH_TEAM',
  'CLOSED',
  'NOT_YOURS',
  'TAKEN',
  'UNANSWERED',
  'TOO_MANY_TAGS',
  'NO_SUCH_AGENT',
  'EMPTY',
  'TOO_LONG',
  'NOT_FAILED',
  'INVALID',
  'NOT_JSON',
  'CANNED_CHANGED',
  'LAST_PAIR',
  'CANNOT_TEACH',
  'CHANGED',
  'TEACHING',
  'TEACHING_FAILED',
  'NOT_DEAD',

  // The standalone program and the command line
  'SETTINGS_INVALID',
  'CANNOT_LISTEN',
  'WRONG_USE',
  'INTERRUPTED',
  'NO_SUCH_JOB',
  'DATABASE_FAILED',
  'SCRIPT_FAILED',

  // The simulator and the test bench
  'INVALID_AGENT',
  'INVALID_BOT',
  'INVALID_FAULT',
  'INVALID_ACTION',
  'UNKNOWN_BOT',
  'UNKNOWN_COMPONENT',
  'NO_MESSAGE_WEBHOOK',
  'CONVERSATION_EXISTS',
  'CONVERSATION_OVER',
  'NO_REPLY',
  'PLATFORM_FAILURE',
  'INVALID_RECEIVER',
  'NOT_CONNECTED',
  'ALREADY_CONNECTED',
  'NO_CONVERSATION',
  'BENCH_CLOSED',
  'NOT_CONFORMING',
] as const;

/** A code of a {@link HandoffKitError}. */
export type ErrorCode = (typeof ERROR_CODES)[number];

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
  /** Identifies the kind of error. Codes are stable: test for them and not for the message. */
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
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
