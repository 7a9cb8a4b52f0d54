import { z } from 'zod';

/** How the service says no, on every JSON endpoint (7). */
export const failureBody = z.looseObject({ code: z.int(), message: z.string() });

/** How the service says no. */
export type FailureBody = z.output<typeof failureBody>;

/** The service's codes: those of the contract, then those seen in deployments. */
export const SERVICE_CODES = {
  PARAMETER_ERROR: 40000,
  INTERNAL_ERROR: 50000,
  AUTHENTICATION_FAILED: 40127,
  AGENT_DELETED: 40378,
  CONVERSATION_NOT_FOUND: 40356,
  CONVERSATION_MISMATCH: 40358,
  API_DISABLED: 20055,
  OUT_OF_CREDITS: 20022,
  OUT_OF_CREDITS_ALSO: 40379,
} as const;

/** The service's error codes have five digits or more; whatever is shorter is a kind of success. */
const FIRST_ERROR_CODE = 10_000;

/** Whether an answer's body says that the request failed, whatever its HTTP status says; only `code` counts. */
export function isFailureBody(body: unknown): body is { code: number; message?: unknown } {
  if (typeof body !== 'object' || body === null || !('code' in body)) return false;
  return typeof body.code === 'number' && body.code >= FIRST_ERROR_CODE;
}
