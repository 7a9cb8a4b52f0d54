import type { Shelf } from '../../delivery/index.js';
import type { ServiceClient } from '../../service/index.js';
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

const ID = 'taught';
const DOCUMENT_NAME = 'Answers from the desk';

/**
 * Makes {@link Teaching}. An update replaces all pairs of a document, so the desk keeps the complete list; it is
 * written down once the service has it. Two who teach at once: the second sees the first one's pair and tries again.
 */
export function createTeaching(shelf: Shelf, service: ServiceClient | null): Teaching {
  const audit = createAudit(shelf);
  let turn: Promise<unknown> = Promise.resolve();

  const read = async () => {
    const doc = await shelf.get(KIND.settings, ID);
    return { version: doc?.version ?? 0, view: (doc?.value ?? { document: null, pairs: [] }) as TeachView };
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

  const teachOne = async (agent: AgentView, { question, answer, seen }: TeachRequest): Promise<TeachView> => {
    if (!service) throw new DeskRefusal('CANNOT_TEACH');
    const { version, view } = await read();
    if (view.pairs.length !== seen) throw new DeskRefusal('CHANGED');
    // A question that was taught before gets its new answer.
    const pairs = [...view.pairs.filter((pair) => pair.question !== question), { question, answer }];
    const document = await send(service, view, pairs).catch((error: unknown) => {
      throw error instanceof DeskRefusal ? error : new DeskRefusal('TEACHING_FAILED', { cause: error });
    });
    const value: TeachView = { document, pairs };
    const written = await shelf.write({
      put: [{ kind: KIND.settings, id: ID, value, version }],
      append: [audit.line(agent.id, 'teach', { detail: `${pairs.length} pairs` })],
    });
    if (!written) throw new DeskRefusal('CHANGED');
    return value;
  };

  return {
    view: async () => (await read()).view,
    teach(agent, request) {
      const next = turn.then(() => teachOne(agent, request));
      turn = next.catch(() => undefined);
      return next;
    },
  };
}
