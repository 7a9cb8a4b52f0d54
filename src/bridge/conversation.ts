/**
 * Helpers on stored conversations: how the adapter sees one, and changes that apply only in a given state.
 *
 * @module
 */
import { hash } from 'node:crypto';
import {
  type AdapterLink,
  type Conversation,
  type ConversationChange,
  type HandoffStore,
  isOpen,
} from '../handoff/index.js';
import type { ConversationRef, HandoffSession, OpenedConversation } from './adapter/adapter-types.js';

/**
 * Identifies a conversation in the helpdesk. The same on every attempt to open it; a handoff requested again after
 * its end is a new session, with another key.
 */
export function sessionKey({ id, session }: Pick<Conversation, 'id' | 'session'>): string {
  return hash('sha256', JSON.stringify([id, session]), 'hex').slice(0, 32);
}

/** The conversation as `open` and `find` receive it. */
export function toSession(conversation: Conversation): HandoffSession {
  const { id, bot, user, botId, transcript, requestedAt, replyBy } = conversation;
  return {
    key: sessionKey(conversation),
    conversationId: id,
    bot,
    user,
    botId,
    transcript,
    requestedAt,
    replyBy,
  };
}

/** The stored form of an {@link OpenedConversation}. */
export function toLink(adapter: string, { externalId, url, extra = {} }: OpenedConversation): AdapterLink {
  return { adapter, externalId, url: url ?? null, extra };
}

/** The conversation as `send` and `close` receive it. */
export function toRef(
  { id, bot, user }: Pick<Conversation, 'id' | 'bot' | 'user'>,
  link: AdapterLink,
): ConversationRef {
  const { externalId, url, extra } = link;
  return { conversationId: id, bot, externalId, url, extra, user };
}

/**
 * Applies a change while `mayChange` holds, and retries when another process changed the conversation meanwhile.
 * Returns `null` when it no longer holds or the conversation is gone.
 */
export async function changeWhile(
  store: HandoffStore,
  id: string,
  mayChange: (conversation: Conversation) => boolean,
  change: ConversationChange,
): Promise<Conversation | null> {
  for (;;) {
    const current = await store.get(id);
    if (!current || !mayChange(current)) return null;
    const changed = await store.update(id, current.version, change);
    if (changed) return changed;
  }
}

/** Whether a session still waits to be opened: same session, not ended, and not linked by another process. */
export const isUnopened =
  (session: number) =>
  (conversation: Conversation): boolean =>
    conversation.session === session && isOpen(conversation.state) && conversation.link === null;

/** Marks a conversation that was requested and never accepted as failed. `null` when it is past that state. */
export function failUnaccepted(
  store: HandoffStore,
  { id, session }: Pick<Conversation, 'id' | 'session'>,
  why: string,
  mayFail: (conversation: Conversation) => boolean = ({ link }) => link === null,
): Promise<Conversation | null> {
  return changeWhile(
    store,
    id,
    (current) => current.session === session && current.state === 'requested' && mayFail(current),
    { state: 'failed', closure: { by: 'system', why, at: new Date() } },
  );
}
