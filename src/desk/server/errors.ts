import { HandoffKitError } from '../../internal/index.js';

/** The errors that the API answers, with their HTTP status and a text for the agent. */
export const DESK_ERRORS = {
  NOT_FOUND: [404, 'This conversation does not exist.'],
  NOT_ALLOWED: [403, 'Your role does not allow this. Ask an administrator.'],
  CLOSED: [409, 'This conversation has ended. The customer has to ask again.'],
  NOT_YOURS: [409, 'Another agent has this conversation. Take it over first.'],
  UNCLAIMED: [409, 'Nobody has this conversation. Claim it first.'],
  TAKEN: [409, 'Another agent has already claimed this conversation.'],
  NO_SUCH_AGENT: [400, 'This agent does not exist.'],
  NO_SUCH_TEAM: [400, 'This team does not exist. Reload the page.'],
  EMPTY: [400, 'There is nothing to send.'],
  TOO_LONG: [400, 'That is too long. Send it in parts.'],
  UNANSWERED: [409, 'Reply first: the platform ends a conversation without a reply.'],
  TOO_MANY_TAGS: [400, 'A conversation can have at most twenty tags.'],
  NOT_FAILED: [409, 'This reply has not failed.'],
  WRONG_PASSWORD: [403, 'The password is wrong.'],
  TOTP_REQUIRED: [403, 'This desk requires a second factor. Set one up in your account.'],
  WRONG_CODE: [403, 'The code is wrong. Enter the latest one from the app.'],
  BUSY: [503, 'Too many logins right now. Try again in a moment.'],
  NOT_YOURSELF: [409, 'You cannot do this to yourself. Ask another administrator.'],
  AGENT_EXISTS: [409, 'An agent with this login name already exists.'],
  TOO_MANY_TRIES: [429, 'Too many attempts. Wait a minute.'],
  TOO_MANY_STREAMS: [429, 'The desk is open in too many tabs. Close some.'],
  NO_PASSWORD: [409, 'You log in elsewhere, so you have no password here.'],
  TEAMS_CHANGED: [409, 'Another administrator has changed the teams. Open them again.'],
  RULES_CHANGED: [409, 'Another administrator has changed the rules. Open them again.'],
  HOURS_CHANGED: [409, 'Another administrator has changed the business hours. Open them again.'],
  INVALID_HOURS: [
    400,
    'These hours cannot be used. Each range needs two different times, and one day must be open.',
  ],
  INVALID: [400, 'The request is invalid. If it came from the page, reload it.'],
  NOT_JSON: [415, 'The desk accepts JSON only.'],
  CANNOT_TEACH: [409, 'No platform is configured, so the bot cannot be taught.'],
  CHANGED: [409, 'Another agent has changed the list. Look at it again.'],
  CANNED_CHANGED: [
    409,
    'Another agent has changed the canned replies. Copy what you need, cancel, and open them again.',
  ],
  LAST_PAIR: [
    409,
    'The platform does not accept an empty list. Teach another answer first, or delete the document on the platform.',
  ],
  TEACHING: [409, 'Another agent is teaching the bot. Try again in a moment.'],
  TEACHING_FAILED: [502, 'The platform did not accept it. Try again later.'],
  ASSIST_FAILED: [502, 'The assistant gave no answer. Try again, or write it yourself.'],
  ASSIST_BUSY: [429, 'The assistant is busy. Try again in a moment.'],
  NOT_DEAD: [409, 'This has already been handled.'],
  INVALID_TOKEN: [401, 'This token is not valid: it is wrong, expired or revoked. Ask an administrator.'],
  NO_SUCH_TOKEN: [404, 'This token does not exist. Reload the page.'],
  NO_SUCH_WEBHOOK: [404, 'This webhook does not exist. Reload the page.'],
  NOT_FOR_TOKENS: [403, 'A token cannot do this. Log in at the page.'],
  INVALID_URL: [400, 'Enter an address on HTTP or HTTPS, without a user name or password.'],
  TOO_MANY_WEBHOOKS: [409, 'There are twenty webhooks. Remove one first.'],
} as const satisfies Record<string, readonly [number, string]>;

export type DeskErrorCode = keyof typeof DESK_ERRORS;

/** An error that the API answers to an agent. */
export class DeskError extends HandoffKitError {
  /** The HTTP status of the answer. */
  readonly status: number;
  /** The fields of the request that are invalid. */
  readonly fields: readonly string[] | undefined;

  constructor(code: DeskErrorCode, options?: ErrorOptions & { readonly fields?: readonly string[] }) {
    const [status, message] = DESK_ERRORS[code];
    super(code, message, options);
    this.status = status;
    this.fields = options?.fields;
  }
}
