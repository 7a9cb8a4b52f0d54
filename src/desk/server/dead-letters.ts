import type { QueueAdmin } from '../../delivery/index.js';
import type { AgentView, ConversationSummary, DeadLetterDetails } from '../api.js';
import type { DeskConversations } from './conversations/index.js';
import {
  OUTGOING_GROUP,
  type OutgoingItem,
  outgoingId,
  readOutgoing,
} from './conversations/outgoing-items.js';
import { DeskError } from './errors.js';
import { DOCUMENT_KIND, type DocumentStore } from './store/index.js';

type QueueKind = DeadLetterDetails['queue'];

/** The dead letters of the delivery, linked to the desk's own replies. */
export interface DeadLetters {
  show(queue: QueueKind, id: string): Promise<DeadLetterDetails>;
  /** Retries a dead letter, and tracks the desk's reply in it again. */
  retry(queue: QueueKind, id: string): Promise<void>;
  discard(queue: QueueKind, id: string): Promise<void>;
  /** Retries a failed reply of the desk: as the dead letter that holds it, or as a new reply. */
  retryReply(agent: AgentView, deskId: string, messageId: string): Promise<ConversationSummary>;
}

/** Failed replies searched at most. */
const MAX_FAILED = 1_000;

export function createDeadLetters(
  store: DocumentStore,
  queues: QueueAdmin | null,
  { agentActions, sender }: DeskConversations,
): DeadLetters {
  const show: DeadLetters['show'] = async (queue, id) => {
    const job = await queues?.show(queue, id);
    if (job?.state !== 'dead') throw new DeskError('NOT_DEAD');
    const { conversationId, what, attempts, error, createdAt, content } = job;
    return { queue, id, conversationId, what, attempts, error, createdAt: createdAt.getTime(), content };
  };

  /** Finds the desk's failed reply that a dead letter holds. */
  const findReply = async (jobId: string): Promise<OutgoingItem | undefined> => {
    const filter = { group: OUTGOING_GROUP.failed, limit: MAX_FAILED };
    const failed = await store.list(DOCUMENT_KIND.outgoing, filter);
    return failed.map(({ value }) => value as OutgoingItem).find((item) => item.jobId === jobId);
  };

  /** Finds the id of the dead letter that holds a reply of the desk. */
  const findDeadLetter = async (deskId: string, messageId: string): Promise<string | null> => {
    const jobId = (await readOutgoing(store, outgoingId(deskId, messageId)))?.item.jobId;
    const job = jobId === undefined ? null : await queues?.show('outbox', jobId);
    return job?.state === 'dead' ? job.id : null;
  };

  return {
    show,
    async retry(queue, id) {
      const { what } = await show(queue, id);
      if (!(await queues?.retry(queue, id))) throw new DeskError('NOT_DEAD');
      const reply = queue === 'outbox' && what === 'reply' ? await findReply(id) : null;
      if (reply) await sender.resume(reply.deskId, reply.messageId);
    },
    async discard(queue, id) {
      if (!(await queues?.discard(queue, id))) throw new DeskError('NOT_DEAD');
    },
    async retryReply(agent, deskId, messageId) {
      const deadLetterId = await findDeadLetter(deskId, messageId);
      const summary = await agentActions.retry(agent, deskId, messageId, deadLetterId !== null);
      if (deadLetterId !== null) await queues?.retry('outbox', deadLetterId);
      void sender.send(deskId, messageId);
      return summary;
    },
  };
}
