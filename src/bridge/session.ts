import { hash } from 'node:crypto';
import type { AdapterLink, Conversation } from '../handoff/index.js';
import type { ConversationRef, HandoffSession, OpenedConversation } from './adapter.js';

/**
 * What a conversation is known by in the system: the same for each try to open it. Asked for anew after an end,
 * it is another one, with another key.
 */
export function sessionKey({ id, session }: Pick<Conversation, 'id' | 'session'>): string {
  return hash('sha256', JSON.stringify([id, session]), 'hex').slice(0, 32);
}

/** A conversation as `open` and `find` get it. */
export function sessionOf(conversation: Conversation): HandoffSession {
  const { id, user, botId, transcript, requestedAt, replyBy } = conversation;
  return {
    key: sessionKey(conversation),
    conversationId: id,
    user,
    botId,
    transcript,
    requestedAt,
    replyBy,
  };
}

/** What is kept of a conversation that was opened. */
export function linkOf(adapter: string, { externalId, url = null, extra = {} }: OpenedLoosely): AdapterLink {
  return { adapter, externalId, url, extra };
}

type OpenedLoosely = Omit<OpenedConversation, 'url'> & { readonly url?: string | null | undefined };

/** An open conversation as `send` and `close` get it. */
export function refOf({ id, user }: Pick<Conversation, 'id' | 'user'>, link: AdapterLink): ConversationRef {
  const { externalId, url, extra } = link;
  return { conversationId: id, externalId, url, extra, user };
}
