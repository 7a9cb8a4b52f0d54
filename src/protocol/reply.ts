import { z } from 'zod';

const sentTime = z.int().nonnegative();

/** A human's words to the user (4.9). */
export const humanReply = z.looseObject({
  conversation_id: z.string().min(1),
  timestamp: sentTime,
  body: z.string().min(1, 'expected some text: an empty reply would show the user nothing'),
});

/** The human side ends the handoff (4.10). */
export const humanClose = z.looseObject({ conversation_id: z.string().min(1), timestamp: sentTime });

/** The service's answer to a reply, and a receiver's answer to a handoff request. */
export const handoffAnswer = z.looseObject({ code: z.int(), message: z.string() });

/** The service's answer to a close, as the contract lists it. */
export const humanCloseAnswer = z.looseObject({ conversation_id: z.string(), timestamp: z.int() });

/** A receiver's answer to the message webhook (4.5). */
export const messageAnswer = z.looseObject({ code: z.int(), msg: z.string() });

/** A human's words to the user. */
export type HumanReply = z.output<typeof humanReply>;
/** The human side's wish to end a handoff. */
export type HumanClose = z.output<typeof humanClose>;
