import { z } from 'zod';
import { isRecord } from '../internal/index.js';
import {
  asList,
  id,
  istest,
  nestedList,
  optionalEnum,
  optionalId,
  optionalText,
  recordOr,
  text,
  time,
  words,
} from './primitives.js';

/** Paths to which the platform sends handoff requests, below the developer's URL. */
export const HANDOFF_PATHS = {
  establish: '/conversation/establish',
  chat: '/chat',
  close: '/conversation/close',
} as const;

/** `QUESTION` is the user, `ANSWER` the bot. */
export const MESSAGE_TYPES = ['QUESTION', 'ANSWER'] as const;

/** Why the user's side ended a handoff. */
export const CLOSE_TYPES = ['TIMEOUT', 'USER_CLOSED'] as const;

/** A value from the contract, or an unknown one. Keeps completion in editors. */
type OpenEnum<Known extends readonly string[]> = Known[number] | (string & {});

/** One line of a handoff request's transcript. */
export interface HandoffMessageItem {
  /** An `ANSWER` can be empty. */
  text: string;
  /** The speaker; `null` if it was not sent. */
  message_type: OpenEnum<typeof MESSAGE_TYPES> | null;
}

/**
 * The user of a handoff. Never identify a contact by `email` alone: channels without an address
 * send the same placeholder for all users.
 */
export interface UserInfo {
  /** Sent by messaging channels only. */
  phone: string | null;
  /** Possibly a placeholder that several users share. */
  email: string | null;
  /** The developer's id for the user. */
  user_id: string | null;
  /** The platform's id for an unidentified user. */
  anonymous_id: string | null;
}

/**
 * A request to hand a user over to an agent, the payload of a `handoff.requested` event.
 *
 * @example
 * receiver.on('handoff.requested', ({ payload }) => {
 *   const lastWords = payload.body.at(-1)?.text;
 * });
 */
export interface HandoffRequest {
  /** The handoff's id, not the id of the bot's conversation. */
  conversation_id: string;
  /** When the user asked, in the platform's unit; `toDate` reads it. */
  timestamp: number | null;
  /** Possibly a placeholder; see {@link UserInfo}. */
  email: string | null;
  /** The bot that requests the handoff. */
  bot_id: string | null;
  /** The conversation before the handoff, oldest first. */
  body: HandoffMessageItem[];
  user_info: UserInfo;
  /** `true` in an availability test. */
  istest?: boolean | undefined;
}

/**
 * A user's message during a handoff, the payload of a `handoff.message` event.
 *
 * @example
 * receiver.on('handoff.message', ({ payload }) => console.log(payload.body));
 */
export interface HandoffChat {
  /** The handoff's id. */
  conversation_id: string;
  /** When the user wrote, in the platform's unit; `toDate` reads it. */
  timestamp: number | null;
  /** The user's text; can be empty. */
  body: string;
  /** `true` in an availability test. */
  istest?: boolean | undefined;
}

/** The user's side ended a handoff, the payload of a `handoff.closed` event. */
export interface HandoffClose {
  /** The handoff's id. */
  conversation_id: string;
  /** When it ended, in the platform's unit; `toDate` reads it. */
  timestamp: number | null;
  /** Why it ended; `null` if that was not sent. */
  type: OpenEnum<typeof CLOSE_TYPES> | null;
  /** `true` in an availability test. */
  istest?: boolean | undefined;
}

/** A string stands for `{ text }`. */
const handoffMessageItem: z.ZodType<HandoffMessageItem> = z.preprocess(
  recordOr('text'),
  z.looseObject({ text, message_type: optionalEnum(MESSAGE_TYPES) }),
);

/** Several users: none is chosen, so that the handoff is not attributed to the wrong user. */
const onlyUser = (value: unknown): unknown => {
  const [first, ...more] = asList(value);
  return isRecord(first) && more.length === 0 ? first : {};
};

/** Also accepts a list of one. */
export const userInfo: z.ZodType<UserInfo> = z.preprocess(
  onlyUser,
  z.looseObject({ phone: optionalText, email: optionalText, user_id: optionalId, anonymous_id: optionalId }),
);

/**
 * Requires only the conversation's id: if a request is refused, the user is told that no agent is free.
 */
export const handoffRequest: z.ZodType<HandoffRequest> = z.looseObject({
  conversation_id: id,
  timestamp: time,
  email: optionalText,
  bot_id: optionalId,
  body: z.preprocess(nestedList, z.array(handoffMessageItem)),
  user_info: userInfo,
  istest,
});

export const handoffChat: z.ZodType<HandoffChat> = z.looseObject({
  conversation_id: id,
  timestamp: time,
  body: words,
  istest,
});

export const handoffClose: z.ZodType<HandoffClose> = z.looseObject({
  conversation_id: id,
  timestamp: time,
  type: optionalEnum(CLOSE_TYPES),
  istest,
});
