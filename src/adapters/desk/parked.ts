import type { Shelf, StoredQueues } from '../../delivery/index.js';
import type { AgentView, DeadDetails, Summary } from './api.js';
import type { Book } from './book/index.js';
import { FAILED_GROUP, type Outgoing, outgoingId, readOutgoing } from './book/outgoing.js';
import { KIND } from './book/record.js';
import { DeskRefusal } from './refuse.js';

type Queue = DeadDetails['queue'];

/** What is parked in the queues of the delivery, and what that means for replies of the desk. */
export interface Parked {
  show(queue: Queue, id: string): Promise<DeadDetails>;
  /** Lets it be tried again. A failed reply of the desk that it holds goes on with it. */
  retry(queue: Queue, id: string): Promise<void>;
  discard(queue: Queue, id: string): Promise<void>;
  /** Sends a failed reply of the desk again: what is parked of it goes on, or else it is made anew. */
  retryReply(agent: AgentView, deskId: string, messageId: string): Promise<Summary>;
}

/** Failed replies looked through at most. */
const MOST_FAILED = 1_000;

/** Makes {@link Parked}. */
export function createParked(shelf: Shelf, queues: StoredQueues | null, book: Book): Parked {
  const show: Parked['show'] = async (queue, id) => {
    const item = await queues?.show(queue, id);
    if (item?.state !== 'dead') throw new DeskRefusal('NOT_DEAD');
    const { conversationId, what, attempts, error, createdAt, content } = item;
    return { queue, id, conversationId, what, attempts, error, createdAt: createdAt.getTime(), content };
  };

  /** The failed reply that a parked one holds. */
  const failedReplyOf = async ({ conversationId, content }: DeadDetails): Promise<Outgoing | null> => {
    const docs = await shelf.list(KIND.outgoing, { group: FAILED_GROUP, limit: MOST_FAILED });
    for (const outgoing of docs.map(({ value }) => value as Outgoing)) {
      if (!holds(content, outgoing.text)) continue;
      const found = await book.records.get(outgoing.deskId);
      if (found?.record.conversationId === conversationId) return outgoing;
    }
    return null;
  };

  /** The parked one that holds a reply of the desk. */
  const parkedReplyOf = async (deskId: string, messageId: string): Promise<string | null> => {
    const found = await book.records.get(deskId);
    const reply = await readOutgoing(shelf, outgoingId(deskId, messageId));
    if (!queues || !found || !reply) return null;
    const { conversationId } = found.record;
    const dead = await queues.list('outbox', { state: 'dead', conversationId });
    for (const { id, what } of dead.toReversed()) {
      const content = what === 'reply' ? (await queues.show('outbox', id))?.content : null;
      if (holds(content, reply.outgoing.text)) return id;
    }
    return null;
  };

  return {
    show,
    async retry(queue, id) {
      const item = await show(queue, id);
      if (!(await queues?.retry(queue, id))) throw new DeskRefusal('NOT_DEAD');
      const failed = queue === 'outbox' && item.what === 'reply' ? await failedReplyOf(item) : null;
      if (failed) await book.outbound.revive(failed.deskId, failed.messageId);
    },
    async discard(queue, id) {
      if (!(await queues?.discard(queue, id))) throw new DeskRefusal('NOT_DEAD');
    },
    async retryReply(agent, deskId, messageId) {
      const parkedId = await parkedReplyOf(deskId, messageId);
      const summary = await book.agents.retry(agent, deskId, messageId, parkedId !== null);
      if (parkedId !== null) await queues?.retry('outbox', parkedId);
      void book.outbound.carry(deskId, messageId);
      return summary;
    },
  };
}

/** Whether a stored reply holds these words, be it with the agent's name before them. */
function holds(content: unknown, text: string): boolean {
  if (typeof content !== 'object' || content === null || !('text' in content)) return false;
  return text !== '' && typeof content.text === 'string' && content.text.endsWith(text);
}
