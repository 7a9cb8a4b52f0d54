import { z } from 'zod';
import {
  asList,
  id,
  isRecord,
  istest,
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

/** Speakers of a transcript item: `QUESTION` is the user, `ANSWER` the bot. */
export const MESSAGE_TYPES = ['QUESTION', 'ANSWER'] as const;

/** Reasons why the user's side ended a handoff. */
export const CLOSE_TYPES = ['TIMEOUT', 'USER_CLOSED'] as const;

/** A value that the contract names, or a newer one. Keeps completion in editors. */
type OpenEnum<Known extends readonly string[]> = Known[number] | (string & {});

/** One item of the transcript that comes with a handoff request. */
export interface HandoffMessageItem {
  /** The words; an `ANSWER` can be empty. */
  text: string;
  /** The speaker; `null` when it was not sent. */
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
  /** The developer's own id of the user. */
  user_id: string | null;
  /** The platform's id of an unidentified user. */
  anonymous_id: string | null;
}

/**
 * A request to hand a user over to a human, the payload of a `handoff.requested` event.
 *
 * @example
 * receiver.on('handoff.requested', ({ payload }) => {
 *   const lastWords = payload.body.at(-1)?.text;
 * });
 */
export interface HandoffRequest {
  /** The id of the handoff, which is not the id of the bot's conversation. */
  conversation_id: string;
  /** When the user asked, in the platform's unit; `toDate` reads it. */
  timestamp: number | null;
  /** Possibly a placeholder; see {@link UserInfo}. */
  email: string | null;
  /** The platform bot that requests the handoff. */
  bot_id: string | null;
  /** The conversation before the handoff, oldest first. */
  body: HandoffMessageItem[];
  /** The user. */
  user_info: UserInfo;
  /** `true` in an availability test. */
  istest?: boolean | undefined;
}

/**
 * A message of the user during a handoff, the payload of a `handoff.message` event.
 *
 * @example
 * receiver.on('handoff.message', ({ payload }) => console.log(payload.body));
 */
export interface HandoffChat {
  /** The id of the handoff. */
  conversation_id: string;
  /** When the user wrote, in the platform's unit; `toDate` reads it. */
  timestamp: number | null;
  /** The user's words; can be empty. */
  body: string;
  /** `true` in an availability test. */
  istest?: boolean | undefined;
}

/** The user's side ended a handoff, the payload of a `handoff.closed` event. */
export interface HandoffClose {
  /** The id of the handoff. */
  conversation_id: string;
  /** When it ended, in the platform's unit; `toDate` reads it. */
  timestamp: number | null;
  /** Why it ended; `null` when that was not sent. */
  type: OpenEnum<typeof CLOSE_TYPES> | null;
  /** `true` in an availability test. */
  istest?: boolean | undefined;
}

/** Schema of {@link HandoffMessageItem}; a string stands for `{ text }`. */
export const handoffMessageItem: z.ZodType<HandoffMessageItem> = z.preprocess(
  recordOr('text'),
  z.looseObject({ text, message_type: optionalEnum(MESSAGE_TYPES) }),
);

/** Of several users none is chosen: the handoff must not be taken for that of another user. */
const onlyUser = (value: unknown): unknown => {
  const [first, ...more] = asList(value);
  return isRecord(first) && more.length === 0 ? first : {};
};

/** Schema of {@link UserInfo}; also accepts a list of one. */
export const userInfo: z.ZodType<UserInfo> = z.preprocess(
  onlyUser,
  z.looseObject({
    phone: optionalText,
    email: optionalText,
    user_id: optionalId,
    anonymous_id: optionalId,
  }),
);

/**
 * Schema of {@link HandoffRequest}. Only its conversation must be known: to refuse a request is to tell the user that no
 * human is free.
 */
export const handoffRequest: z.ZodType<HandoffRequest> = z.looseObject({
  conversation_id: id,
  timestamp: time,
  email: optionalText,
  bot_id: optionalId,
  body: z.preprocess(asList, z.array(handoffMessageItem)),
  user_info: userInfo,
  istest,
});

/** Schema of {@link HandoffChat}. */
export const handoffChat: z.ZodType<HandoffChat> = z.looseObject({
  conversation_id: id,
  timestamp: time,
  body: words,
  istest,
});

/** Schema of {@link HandoffClose}. */
export const handoffClose: z.ZodType<HandoffClose> = z.looseObject({
  conversation_id: id,
  timestamp: time,
  type: optionalEnum(CLOSE_TYPES),
  istest,
});
