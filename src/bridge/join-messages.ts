import { eventKey, type HandoffMessageContext } from '../events/index.js';
import { type HandoffChat, handoffChat } from '../protocol/index.js';
import type { Receiver } from '../receiver/index.js';

/** What a user said, as it is to be sent. */
export interface Said {
  /** The event's key. */
  readonly key: string;
  readonly text: string;
}

/** Finds what a user has said since a message, and what may go with it in one. */
export type FindNext = (conversationId: string, first: Said, maxLength: number) => Promise<readonly Said[]>;

/** Looked at in one go; a user who types faster is answered in the next. */
const AT_MOST = 20;

/** What stands between messages that are sent as one. */
export const BETWEEN = '\n';

/** The event of what a user says. */
export const saidIn = ({ payload, requestId }: HandoffMessageContext): Said => ({
  key: eventKey('chat', payload, requestId),
  text: payload.body,
});

/**
 * Makes {@link FindNext}. Events are handled one after another, so those behind are found where they wait, and
 * noted as sent when they were; their own turn then finds nothing left to do. Where nothing is stored, nothing
 * can be found, and each message is sent alone.
 */
export function createFindNext({ queues }: Receiver['storage']): FindNext {
  if (!queues) return async () => [];
  return async (conversationId, first, maxLength) => {
    const waiting = await queues.list('inbox', { state: 'waiting', conversationId, limit: AT_MOST });
    const found: Said[] = [];
    let room = maxLength - first.text.length;
    for (const { id, what } of waiting) {
      const said = what === 'handoff.message' ? toSaid((await queues.show('inbox', id))?.content) : null;
      if (said?.key === first.key) continue;
      room -= (said?.text.length ?? 0) + BETWEEN.length;
      // Only whole messages, and none that is behind something else.
      if (!said || room < 0) break;
      found.push(said);
    }
    return found;
  };
}

/** A message without a time is known by its request, which is not stored with it: it is sent alone. */
function toSaid(content: unknown): Said | null {
  const chat = handoffChat.safeParse(content);
  if (!chat.success || chat.data.timestamp === null) return null;
  const body: HandoffChat = chat.data;
  return { key: eventKey('chat', body, ''), text: body.body };
}
