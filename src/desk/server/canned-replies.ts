import type { AgentView, CannedList, CannedReply } from '../api.js';
import { type AuditLine, changedFields, createAudit } from './audit.js';
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

export function createCannedReplies(store: DocumentStore): CannedReplies {
  const audit = createAudit(store);
  const read = () => store.get(DOCUMENT_KIND.settings, DOCUMENT_ID);
  const list: CannedReplies['list'] = async () => {
    const document = await read();
    const replies = (document?.value as readonly CannedReply[] | undefined) ?? DEFAULT_REPLIES;
    return { replies, version: document?.version ?? 0 };
  };
  return {
    list,
    async save(agent, { replies, version }) {
      const written = await store.write({
        put: [{ kind: DOCUMENT_KIND.settings, id: DOCUMENT_ID, value: replies, version }],
        append: [audit.line(agent.id, 'canned replies', differenceOf((await list()).replies, replies))],
      });
      if (!written) throw new DeskError('CANNED_CHANGED');
      return { replies, version: version + 1 };
    },
  };
}

/** Texts in the audit log are cut to this length. */
const MAX_AUDITED = 200;

/** The replies that were added, changed or removed, by id. */
function differenceOf(
  before: readonly CannedReply[],
  after: readonly CannedReply[],
): Pick<AuditLine, 'before' | 'after'> {
  const textsOf = (replies: readonly CannedReply[]): Record<string, string> =>
    Object.fromEntries(replies.map(({ id, title, text }) => [id, `${title}: ${text}`.slice(0, MAX_AUDITED)]));
  const [old, now] = [textsOf(before), textsOf(after)];
  return changedFields(old, now, [...new Set([...Object.keys(old), ...Object.keys(now)])]);
}
