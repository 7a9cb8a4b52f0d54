import type { AgentView, CannedList, CannedReply } from './api.js';
import { createAudit } from './audit.js';
import { DeskError } from './errors.js';
import { DOCUMENT_KIND, type DocumentStore } from './store/index.js';

/** The canned replies that all agents share. */
export interface CannedReplies {
  list(): Promise<CannedList>;
  /** Replaces the list. Rejects if another agent has replaced it since it was read. */
  save(agent: AgentView, list: CannedList): Promise<CannedList>;
}

const DOCUMENT_ID = 'canned';

/** The replies of a new desk. */
const DEFAULT_REPLIES: readonly CannedReply[] = [
  { id: 'hello', title: 'Hello', text: 'Hello, this is {agent}. How can I help you?' },
  { id: 'moment', title: 'One moment', text: 'One moment please, I am looking into it.' },
  { id: 'goodbye', title: 'Goodbye', text: 'Thank you for writing to us. Goodbye!' },
];

/** Creates {@link CannedReplies}. */
export function createCannedReplies(store: DocumentStore): CannedReplies {
  const audit = createAudit(store);
  const read = () => store.get(DOCUMENT_KIND.settings, DOCUMENT_ID);
  return {
    async list() {
      const document = await read();
      const replies = (document?.value as readonly CannedReply[] | undefined) ?? DEFAULT_REPLIES;
      return { replies, version: document?.version ?? 0 };
    },
    async save(agent, { replies, version }) {
      const written = await store.write({
        put: [{ kind: DOCUMENT_KIND.settings, id: DOCUMENT_ID, value: replies, version }],
        append: [audit.line(agent.id, 'canned replies', { detail: `${replies.length}` })],
      });
      if (!written) throw new DeskError('CANNED_CHANGED');
      return { replies, version: version + 1 };
    },
  };
}
