import { HandoffKitError } from '../../internal/index.js';

/** Why an agent's wish is refused. */
export const REFUSALS = {
  NOT_FOUND: [404, 'There is no such conversation.'],
  CLOSED: [409, 'This conversation has ended. The customer has to ask again.'],
  NOT_YOURS: [409, 'Another agent has this conversation. Take it over first.'],
  TAKEN: [409, 'Another agent was faster.'],
  NO_SUCH_AGENT: [400, 'There is no such agent.'],
  EMPTY: [400, 'There is nothing to send.'],
  TOO_LONG: [400, 'That is too long. Send it in parts.'],
  NOT_FAILED: [409, 'This reply has not failed.'],
  INVALID: [400, 'The page and the desk do not understand each other. Reload the page.'],
  NOT_JSON: [415, 'The desk takes JSON only.'],
  CANNOT_TEACH: [409, 'The desk was not told where the service is, so it cannot teach the AI agent.'],
  CHANGED: [409, 'Somebody else taught something meanwhile. Look at the list again.'],
  TEACHING: [409, 'Somebody else is teaching something just now. Try again in a moment.'],
  TEACHING_FAILED: [502, 'The service did not take it. Try again later.'],
  NOT_DEAD: [409, 'This was settled already.'],
} as const satisfies Record<string, readonly [number, string]>;

/** The code of a refusal. */
export type RefusalCode = keyof typeof REFUSALS;

/** A wish of an agent that the desk refuses, in words for the agent. */
export class DeskRefusal extends HandoffKitError {
  /** The HTTP status that goes with it. */
  readonly status: number;

  constructor(code: RefusalCode, options?: ErrorOptions) {
    const [status, message] = REFUSALS[code];
    super(code, message, options);
    this.status = status;
  }
}
