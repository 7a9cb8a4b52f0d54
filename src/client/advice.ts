import { SERVICE_CODES } from '../protocol/index.js';

/** What the service's own numbers mean, and what to do about them. */
const BY_SERVICE_CODE: ReadonlyMap<number, string> = new Map([
  [
    SERVICE_CODES.PARAMETER_ERROR,
    'a parameter is wrong. Compare the request with what this endpoint takes, ids and file addresses first.',
  ],
  [SERVICE_CODES.INTERNAL_ERROR, 'it had an internal error. Try later; if it stays, ask the platform.'],
  [
    SERVICE_CODES.AUTHENTICATION_FAILED,
    'it does not accept the API key. Copy the key again from the API key page of the agent, and check that baseUrl is the data centre of that agent.',
  ],
  [
    SERVICE_CODES.AGENT_DELETED,
    'the agent of this API key was deleted. Use the key of an agent that exists.',
  ],
  [
    SERVICE_CODES.CONVERSATION_NOT_FOUND,
    'the conversation does not exist. Pass the conversation_id of the handoff request as it came; the ids in agent messages are of another kind.',
  ],
  [
    SERVICE_CODES.CONVERSATION_MISMATCH,
    'the conversation belongs to another agent or user. Use the API key of the agent that handed it over.',
  ],
  [
    SERVICE_CODES.API_DISABLED,
    'the API is switched off for this agent. Switch it on in its integration settings.',
  ],
  [SERVICE_CODES.OUT_OF_CREDITS, 'the account is out of credits. Top it up.'],
  [SERVICE_CODES.OUT_OF_CREDITS_ALSO, 'the account is out of credits. Top it up.'],
]);

/** Whether the service's number is one this package knows. */
export function isKnownServiceCode(serviceCode: number | null): boolean {
  return serviceCode !== null && BY_SERVICE_CODE.has(serviceCode);
}

/** What an answer that means no is about, and what to do next. */
export function adviceForAnswer(status: number, serviceCode: number | null): string {
  const known = serviceCode === null ? undefined : BY_SERVICE_CODE.get(serviceCode);
  return known ?? byStatus(status) ?? 'look the code up in the error list of the platform.';
}

function byStatus(status: number): string | null {
  if (isRedirect(status)) {
    return 'it points to another address, and redirects are not followed, because the API key would go along. Set baseUrl to the final address.';
  }
  if (status === 401 || status === 403) {
    return 'it does not let the request in. Check apiKey, and the headers option if this endpoint needs another header.';
  }
  if (status === 404 || status === 405) {
    return 'there is no such endpoint. Check that baseUrl is the address before "/v1".';
  }
  if (status === 429) return 'it was asked too often. Wait and send less.';
  if (status === 413) return 'the request is too large. Send it in several parts.';
  if (status >= 500) return 'it failed. Try later.';
  return null;
}

/** Whether a status points elsewhere. A `fetch` that hides the answer of a redirect gives it the status 0. */
export function isRedirect(status: number): boolean {
  return status === 0 || (status >= 300 && status < 400);
}
