import type { ServiceClient } from '../../client/index.js';
import type { EntryAppend, Shelf } from '../../delivery/index.js';
import type { AgentView, QaPair, TeachRequest, TeachView } from './api.js';
import { createAudit } from './book/audit.js';
import { KIND } from './book/record.js';
import { DeskRefusal } from './refuse.js';

/** What the AI agent was taught from the desk. */
export interface Teaching {
  view(): Promise<TeachView>;
  /** Teaches one pair more. */
  teach(agent: AgentView, request: TeachRequest): Promise<TeachView>;
}

/** What is kept: the list as the service has it, and who is changing it. */
interface Taught extends TeachView {
  /** Somebody has asked the service for a change, and has not heard of the end of it. */
  readonly changing?: { readonly agent: string; readonly since: number };
}

const ID = 'taught';
const DOCUMENT_NAME = 'Answers from the desk';
/** Longer than the service is ever waited for: who has not come back by then has ended without a word. */
const GIVEN_UP_AFTER_MS = 5 * 60_000;

/**
 * Makes {@link Teaching}. An update replaces all pairs of a document, so the desk keeps the complete list, and only
 * one at a time changes it, in all processes: of two lists sent at once nobody could say which one the service has.
 * The list is written down once the service has it. Where that fails, the next who teaches sends the complete list
 * again; a first document whose answer was lost stays at the service beside the one that is made then.
 */
export function createTeaching(shelf: Shelf, service: ServiceClient | null): Teaching {
  const audit = createAudit(shelf);

  const read = async () => {
    const doc = await shelf.get(KIND.settings, ID);
    return { version: doc?.version ?? 0, taught: (doc?.value ?? { document: null, pairs: [] }) as Taught };
  };

  const write = async (value: Taught, version: number, append: readonly EntryAppend[] = []) => {
    const written = await shelf.write({ put: [{ kind: KIND.settings, id: ID, value, version }], append });
    return written !== null;
  };

  /** Takes the list for oneself; gives its version from then on. */
  const take = async (agent: AgentView, seen: number) => {
    const { version, taught } = await read();
    const since = taught.changing?.since ?? 0;
    if (since + GIVEN_UP_AFTER_MS > Date.now()) throw new DeskRefusal('TEACHING');
    if (taught.pairs.length !== seen) throw new DeskRefusal('CHANGED');
    const view = viewOf(taught);
    const isMine = await write({ ...view, changing: { agent: agent.id, since: Date.now() } }, version);
    if (!isMine) throw new DeskRefusal('TEACHING');
    return { view, version: version + 1 };
  };

  const send = async (client: ServiceClient, { document }: TeachView, pairs: readonly QaPair[]) => {
    const qaList = pairs.map(({ question, answer }) => ({ question, answer }));
    if (document) {
      await client.knowledge.updateQa({ doc_id: document.id, qaList });
      return document;
    }
    const { doc } = await client.knowledge.addQa({ purpose: 'QA_TEXT', name: DOCUMENT_NAME, qaList });
    const made = doc[0];
    if (!made) throw new DeskRefusal('TEACHING_FAILED');
    return { id: made.doc_id, name: made.doc_name ?? DOCUMENT_NAME };
  };

  return {
    view: async () => viewOf((await read()).taught),
    async teach(agent, { question, answer, seen }) {
      if (!service) throw new DeskRefusal('CANNOT_TEACH');
      const { view, version } = await take(agent, seen);
      // A question that was taught before gets its new answer.
      const pairs = [...view.pairs.filter((pair) => pair.question !== question), { question, answer }];
      try {
        const value = { document: await send(service, view, pairs), pairs };
        const line = audit.line(agent.id, 'teach', { detail: `${pairs.length} pairs` });
        if (!(await write(value, version, [line]))) throw new DeskRefusal('CHANGED');
        return value;
      } catch (error) {
        await write(view, version);
        throw error instanceof DeskRefusal ? error : new DeskRefusal('TEACHING_FAILED', { cause: error });
      }
    },
  };
}

const viewOf = ({ document, pairs }: Taught): TeachView => ({ document, pairs });
