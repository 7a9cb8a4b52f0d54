import type { ServiceClient } from '../../client/index.js';
import type { AgentView, QaPair, TeachRequest, TeachView } from './api.js';
import { createAudit } from './audit.js';
import { DeskError } from './errors.js';
import { DOCUMENT_KIND, type DocumentStore, type JournalAppend } from './store/index.js';

/** Teaches the AI agent questions and answers. */
export interface Teaching {
  view(): Promise<TeachView>;
  /** Adds a pair. */
  teach(agent: AgentView, request: TeachRequest): Promise<TeachView>;
}

/** The list as the platform has it, and the lock of the agent who is changing it. */
interface StoredTeaching extends TeachView {
  readonly lock?: { readonly agent: string; readonly since: number };
}

const DOCUMENT_ID = 'taught';
/** The name of the knowledge document at the platform. */
const KNOWLEDGE_NAME = 'Answers from the desk';
/** Longer than any call to the platform takes: an older lock belongs to a process that ended. */
const LOCK_EXPIRES_MS = 5 * 60_000;

/**
 * Creates {@link Teaching}. An update at the platform replaces all pairs, so the desk keeps the complete list and
 * locks it across processes while one agent sends it. The list is stored once the platform has accepted it.
 */
export function createTeaching(store: DocumentStore, service: ServiceClient | null): Teaching {
  const audit = createAudit(store);

  const read = async () => {
    const document = await store.get(DOCUMENT_KIND.settings, DOCUMENT_ID);
    const stored = (document?.value ?? { document: null, pairs: [] }) as StoredTeaching;
    return { version: document?.version ?? 0, stored };
  };

  const write = async (value: StoredTeaching, version: number, append: readonly JournalAppend[] = []) => {
    const put = [{ kind: DOCUMENT_KIND.settings, id: DOCUMENT_ID, value, version }];
    return (await store.write({ put, append })) !== null;
  };

  /** Locks the list; gives its version with the lock. */
  const lock = async (agent: AgentView, seen: number) => {
    const { version, stored } = await read();
    const since = stored.lock?.since ?? 0;
    if (since + LOCK_EXPIRES_MS > Date.now()) throw new DeskError('TEACHING');
    if (stored.pairs.length !== seen) throw new DeskError('CHANGED');
    const view = viewOf(stored);
    const isLocked = await write({ ...view, lock: { agent: agent.id, since: Date.now() } }, version);
    if (!isLocked) throw new DeskError('TEACHING');
    return { view, version: version + 1 };
  };

  const send = async (client: ServiceClient, { document }: TeachView, pairs: readonly QaPair[]) => {
    const qaList = pairs.map(({ question, answer }) => ({ question, answer }));
    if (document) {
      await client.knowledge.updateQa({ doc_id: document.id, qaList });
      return document;
    }
    const { doc } = await client.knowledge.addQa({ purpose: 'QA_TEXT', name: KNOWLEDGE_NAME, qaList });
    const added = doc[0];
    if (!added) throw new DeskError('TEACHING_FAILED');
    return { id: added.doc_id, name: added.doc_name ?? KNOWLEDGE_NAME };
  };

  return {
    view: async () => viewOf((await read()).stored),
    async teach(agent, { question, answer, seen }) {
      if (!service) throw new DeskError('CANNOT_TEACH');
      const { view, version } = await lock(agent, seen);
      // A question that was taught before gets the new answer.
      const pairs = [...view.pairs.filter((pair) => pair.question !== question), { question, answer }];
      try {
        const value = { document: await send(service, view, pairs), pairs };
        const line = audit.line(agent.id, 'teach', { detail: `${pairs.length} pairs` });
        if (!(await write(value, version, [line]))) throw new DeskError('CHANGED');
        return value;
      } catch (error) {
        // Unlocks. The next lesson sends the complete list again.
        await write(view, version);
        throw error instanceof DeskError ? error : new DeskError('TEACHING_FAILED', { cause: error });
      }
    },
  };
}

const viewOf = ({ document, pairs }: StoredTeaching): TeachView => ({ document, pairs });
