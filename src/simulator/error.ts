import { z } from 'zod';
import { HandoffKitError } from '../internal/index.js';
import { FAILURE_CODES } from './specification.js';

/** The `code` of a {@link SimulatorError}. */
export type SimulatorErrorCode =
  | 'INVALID_BOT'
  | 'INVALID_FAULT'
  | 'UNKNOWN_BOT'
  | 'UNKNOWN_COMPONENT'
  | 'NO_MESSAGE_WEBHOOK'
  | 'CONVERSATION_EXISTS'
  | 'CONVERSATION_OVER'
  | 'NO_REPLY'
  | 'CANNOT_LISTEN'
  | 'INVALID_ACTION';

/** Thrown when the simulator cannot do what the caller asked for. The message says what to do instead. */
export class SimulatorError extends HandoffKitError {
  override readonly code: SimulatorErrorCode;

  constructor(code: SimulatorErrorCode, message: string, options?: ErrorOptions) {
    super(code, message, options);
    this.code = code;
  }
}

/** A refusal by the simulated platform. */
export class PlatformFailure extends HandoffKitError {
  /** The platform's code, such as 40127. */
  readonly platformCode: number;
  /** The HTTP status, where the code alone does not determine it. */
  readonly status: number | undefined;

  constructor(platformCode: number, message: string, status?: number) {
    super('PLATFORM_FAILURE', message);
    this.platformCode = platformCode;
    this.status = status;
  }
}

/** A {@link PlatformFailure} with code 40000. `detail` names the field and what was expected. */
export function parameterError(detail: string, status?: number): PlatformFailure {
  return new PlatformFailure(FAILURE_CODES.parameterError, `Parameter error: ${detail}`, status);
}

const STATUSES: Readonly<Record<number, number>> = {
  [FAILURE_CODES.parameterError]: 400,
  [FAILURE_CODES.authenticationFailed]: 401,
  [FAILURE_CODES.botDeleted]: 403,
  [FAILURE_CODES.conversationNotFound]: 404,
  [FAILURE_CODES.conversationMismatch]: 403,
  [FAILURE_CODES.internalError]: 500,
};

/** The HTTP status of a failure code. The protocol leaves it open; these are the usual ones. */
export function defaultFailureStatus(code: number): number {
  return STATUSES[code] ?? 400;
}

/** Reads settings with their schema. The error names the wrong fields, never their values. */
export function readSettings<Schema extends z.ZodType>(
  code: SimulatorErrorCode,
  schema: Schema,
  settings: unknown,
  subject = '',
): z.output<Schema> {
  const { success, data, error } = schema.safeParse(settings);
  if (success) return data;
  const problems = error.issues.map(({ path, message }) =>
    path.length > 0 ? `${z.core.toDotPath(path)}: ${message}` : message,
  );
  throw new SimulatorError(code, `${subject}${problems.join('; ')}`);
}
