import { z } from 'zod';
import { id, istest, openEnum, optionalId, optionalText, time } from './primitives.js';

/** Who spoke an item of the transcript. */
export const MESSAGE_TYPES = ['QUESTION', 'ANSWER'] as const;

/** Why a handoff ended on the user's side. */
export const CLOSE_TYPES = ['TIMEOUT', 'USER_CLOSED'] as const;

/** One item of the transcript that comes with a handoff request (2.7). An `ANSWER` may have an empty text. */
export const handoffMessageItem = z.looseObject({
  text: z
    .string()
    .nullable()
    .default('')
    .transform((text) => text ?? ''),
  message_type: openEnum(MESSAGE_TYPES).nullable().default(null),
});

/** Who the user is (2.6). Never key a contact by `email` alone: channels without one send a shared placeholder. */
export const userInfo = z.looseObject({
  phone: optionalText,
  email: optionalText,
  user_id: optionalId,
  anonymous_id: optionalId,
});

const EMPTY_USER = { phone: null, email: null, user_id: null, anonymous_id: null };

/** A user is to be handed over to a human (4.6). */
export const handoffRequest = z.looseObject({
  conversation_id: id,
  timestamp: time,
  email: optionalText,
  bot_id: optionalId,
  body: z
    .array(handoffMessageItem)
    .nullable()
    .default([])
    .transform((items) => items ?? []),
  user_info: userInfo
    .nullable()
    .default(EMPTY_USER)
    .transform((user) => user ?? { ...EMPTY_USER }),
  istest,
});

/** The user says something during a handoff (4.7). */
export const handoffChat = z.looseObject({ conversation_id: id, timestamp: time, body: z.string(), istest });

/** The user left, or the conversation timed out (4.8). */
export const handoffClose = z.looseObject({
  conversation_id: id,
  timestamp: time,
  type: openEnum(CLOSE_TYPES).nullable().default(null),
  istest,
});

/** A handoff request, normalised. */
export type HandoffRequest = z.output<typeof handoffRequest>;
/** A user's message during a handoff, normalised. */
export type HandoffChat = z.output<typeof handoffChat>;
/** A close notice, normalised. */
export type HandoffClose = z.output<typeof handoffClose>;
/** One item of the transcript. */
export type HandoffMessageItem = z.output<typeof handoffMessageItem>;
/** What is known of the user. */
export type UserInfo = z.output<typeof userInfo>;
