import { HandoffKitError } from '../internal/index.js';
import { SERVICE_CODES } from '../protocol/index.js';

/** What can go wrong in the hands of whoever drives the simulator. */
export type SimulatorErrorCode =
  | 'INVALID_AGENT'
  | 'INVALID_FAULT'
  | 'UNKNOWN_AGENT'
  | 'UNKNOWN_COMPONENT'
  | 'NO_MESSAGE_WEBHOOK'
  | 'CONVERSATION_EXISTS'
  | 'CONVERSATION_OVER'
  | 'NO_REPLY'
  | 'CANNOT_LISTEN'
  | 'INVALID_ACTION';

/** The simulator was asked for something it cannot do. */
export class SimulatorError extends HandoffKitError {
  override readonly code: SimulatorErrorCode;

  constructor(code: SimulatorErrorCode, message: string, options?: ErrorOptions) {
    super(code, message, options);
    this.code = code;
  }
}

/** The simulated service says no to a request: its code, and what is wrong. */
export class ServiceFailure extends HandoffKitError {
  /** The service's own code. */
  readonly serviceCode: number;
  /** The HTTP status, where the code alone does not decide it. */
  readonly status: number | undefined;

  constructor(serviceCode: number, message: string, status?: number) {
    super('SERVICE_FAILURE', message);
    this.serviceCode = serviceCode;
    this.status = status;
  }
}

/** A {@link ServiceFailure} of code 40000: `detail` names the field and what was expected. */
export function parameterError(detail: string, status?: number): ServiceFailure {
  return new ServiceFailure(SERVICE_CODES.PARAMETER_ERROR, `Parameter error: ${detail}`, status);
}
