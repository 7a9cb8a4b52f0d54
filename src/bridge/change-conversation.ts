import { type Conversation, type ConversationChange, type HandoffStore, isOpen } from '../handoff/index.js';

/** Changes a conversation while it is what `may` says; `null` once it is not, or is gone. */
export async function changeWhile(
  store: HandoffStore,
  id: string,
  may: (conversation: Conversation) => boolean,
  change: ConversationChange,
): Promise<Conversation | null> {
  for (;;) {
    const current = await store.get(id);
    if (!current || !may(current)) return null;
    const changed = await store.update(id, current.version, change);
    if (changed) return changed;
  }
}

/**
 * Whether a conversation still waits to be opened: not another that was asked for under the same id since, not
 * ended, and not linked by somebody else.
 */
export const isUnopened =
  (session: number) =>
  (conversation: Conversation): boolean =>
    conversation.session === session && isOpen(conversation.state) && conversation.link === null;

/** Ends a conversation that nobody has accepted: its user is told no. `null` when it is past that. */
export function failUnaccepted(
  store: HandoffStore,
  { id, session }: Pick<Conversation, 'id' | 'session'>,
  why: string,
  may: (conversation: Conversation) => boolean = ({ link }) => link === null,
): Promise<Conversation | null> {
  return changeWhile(
    store,
    id,
    (current) => current.session === session && current.state === 'requested' && may(current),
    { state: 'failed', closure: { by: 'kit', why, at: new Date() } },
  );
}
