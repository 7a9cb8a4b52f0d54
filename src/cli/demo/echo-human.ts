import type { HandoffMessageContext } from '../../events/index.js';

/** The first reply of every handoff. */
export const GREETING =
  'Hello! I stand in for a human and answer automatically. Say "bye" and I close the conversation.';

const FAREWELL = /^\s*(good)?bye\b/i;

/** Stands in for a human: answers each message, and closes when the user says goodbye. */
export async function answerAsHuman({ payload, reply, end, signal }: HandoffMessageContext): Promise<void> {
  if (FAREWELL.test(payload.body)) {
    await reply('Goodbye! I close the conversation now. (automatic answer)', { signal });
    await end({ signal });
    return;
  }
  await reply(`Thank you! You wrote: "${payload.body}" (automatic answer)`, { signal });
}
