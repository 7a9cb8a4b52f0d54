import type { Conversation } from '../handoff/index.js';
import type { MessageName } from './messages.js';
import type { BridgeParts } from './parts.js';
import { sessionKey } from './session.js';

/** Says a text to the user and ends the conversation from this side; may be said again without effect. */
export type TellAndEnd = (conversation: Conversation, text: MessageName, why: string) => Promise<void>;

/** Makes {@link TellAndEnd}. */
export function createTellAndEnd({ conversations, text, log }: BridgeParts): TellAndEnd {
  return async (conversation, name, why) => {
    const { id } = conversation;
    const key = sessionKey(conversation);
    log.warn({ conversationId: id, why }, 'a conversation is ended by the bridge');
    const words = await text(name, conversation);
    if (words !== null) await conversations.reply(id, words, { once: `bridge ${name} ${key}`, by: 'kit' });
    await conversations.end(id, { once: `bridge end ${key}`, by: 'kit', why });
  };
}
