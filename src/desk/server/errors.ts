import { HandoffKitError } from '../../internal/index.js';

/** The errors that the API answers, with their HTTP status and a text for the agent. */
export const DESK_ERRORS = {
  NOT_FOUND: [404, 'There is no such conversation.'],
  NOT_ALLOWED: [403, 'Your role does not allow this. Ask an administrator of the desk.'],
  CLOSED: [409, 'This conversation has ended. The customer has to ask again.'],
  NOT_YOURS: [409, 'Another agent has this conversation. Take it over first.'],
  TAKEN: [409, 'Another agent was faster.'],
  NO_SUCH_AGENT: [400, 'There is no such agent.'],
  NO_SUCH_TEAM: [400, 'There is no such team. Reload the page.'],
  EMPTY: [400, 'There is nothing to send.'],
  TOO_LONG: [400, 'That is too long. Send it in parts.'],
  UNANSWERED: [409, 'Answer first: the platform ends a conversation that nobody answers.'],
  TOO_MANY_TAGS: [400, 'That is more than twenty tags.'],
  NOT_FAILED: [409, 'This reply has not failed.'],
  WRONG_PASSWORD: [403, 'The password is wrong.'],
  TOTP_REQUIRED: [403, 'This desk requires a second factor. Set one up in your account.'],
  WRONG_CODE: [403, 'The code is wrong. Take the newest one of the app.'],
  BUSY: [503, 'Many agents log in just now. Try again in a moment.'],
  NOT_YOURSELF: [409, 'You cannot do this to yourself. Ask another administrator.'],
  AGENT_EXISTS: [409, 'There is an agent with this login name already.'],
  TOO_MANY_TRIES: [429, 'Too many tries. Wait a minute.'],
  TOO_MANY_STREAMS: [429, 'The desk is open in too many tabs. Close some.'],
  NO_PASSWORD: [409, 'You log in elsewhere, so you have no password here.'],
  TEAMS_CHANGED: [409, 'Another administrator changed the teams meanwhile. Open them again.'],
  RULES_CHANGED: [409, 'Another administrator changed the rules meanwhile. Open them again.'],
  HOURS_CHANGED: [409, 'Another administrator changed the business hours meanwhile. Open them again.'],
  INVALID_HOURS: [
    400,
    'These hours cannot be used. Each range needs two different times, and one day must be open.',
  ],
  INVALID: [400, 'The page and the desk do not understand each other. Reload the page.'],
  NOT_JSON: [415, 'The desk takes JSON only.'],
  CANNOT_TEACH: [409, 'The desk was not told where the platform is, so it cannot teach the bot.'],
  CHANGED: [409, 'Another agent taught something meanwhile. Look at the list again.'],
  CANNED_CHANGED: [
    409,
    'Another agent changed the canned replies meanwhile. Copy what you need, cancel, and open them again.',
  ],
  LAST_PAIR: [
    409,
    'The platform cannot have an empty list. Teach another answer first, or delete the document at the platform.',
  ],
  TEACHING: [409, 'Another agent is teaching something just now. Try again in a moment.'],
  TEACHING_FAILED: [502, 'The platform did not take it. Try again later.'],
  NOT_DEAD: [409, 'This was settled already.'],
} as const satisfies Record<string, readonly [number, string]>;

/** The code of a {@link DeskError}. */
export type DeskErrorCode = keyof typeof DESK_ERRORS;

/** An error that the API answers to an agent. */
export class DeskError extends HandoffKitError {
  /** The HTTP status of the answer. */
  readonly status: number;

  constructor(code: DeskErrorCode, options?: ErrorOptions) {
    const [status, message] = DESK_ERRORS[code];
    super(code, message, options);
    this.status = status;
  }
}
