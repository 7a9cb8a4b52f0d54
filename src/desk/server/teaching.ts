import { type PlatformClient, PlatformError } from '../../client/index.js';
import { DEFAULT_BOT } from '../../events/index.js';
import { HandoffKitError } from '../../internal/index.js';
import type { DocumentResult } from '../../protocol/index.js';
import type { AgentView, QaPair, TeachRequest, TeachView, UnteachRequest } from '../api.js';
import { createAudit } from './audit.js';
import { DeskError } from './errors.js';
import { DOCUMENT_KIND, type DocumentStore, type JournalAppend } from './store/index.js';

/** Teaches bots questions and answers. */
export interface Teaching {
  /** The list of a bot. */
  view(bot: string): Promise<TeachView>;
  teach(agent: AgentView, request: TeachRequest): Promise<TeachView>;
  remove(agent: AgentView, request: UnteachRequest): Promise<TeachView>;
}

/** The list as the platform has it, and the lock of the agent who is changing it. */
interface StoredTeaching extends TeachView {
  readonly lock?: { readonly agent: string; readonly since: number };
  /** Whether the platform reported the last update as failed. */
  readonly updateFailed?: boolean;
}

/** What the platform did with a list. */
interface Sent {
  /** The document as it is now; `null` if there is none. */
  readonly document: TeachView['document'];
  readonly isTaken: boolean;
}

/** The document with a bot's list. */
const documentIdOf = (bot: string): string => (bot === DEFAULT_BOT ? 'taught' : `taught/${bot}`);

/** The name of the knowledge document at the platform. */
const KNOWLEDGE_NAME = 'Answers from the desk';
/** Longer than any call to the platform takes: an older lock belongs to a process that ended. */
const LOCK_EXPIRES_MS = 5 * 60_000;

/**
 * An update at the platform replaces all pairs, so the desk keeps the complete list and
 * locks it across processes while one agent sends it. The list is stored once the platform has accepted it.
 */
export function createTeaching(
  store: DocumentStore,
  platforms: ReadonlyMap<string, PlatformClient | null>,
): Teaching {
  const audit = createAudit(store);

  const read = async (bot: string) => {
    const document = await store.get(DOCUMENT_KIND.settings, documentIdOf(bot));
    const stored = (document?.value ?? { document: null, pairs: [] }) as StoredTeaching;
    return { version: document?.version ?? 0, stored };
  };

  const write = async (
    bot: string,
    value: StoredTeaching,
    version: number,
    append: readonly JournalAppend[] = [],
  ) => {
    const put = [{ kind: DOCUMENT_KIND.settings, id: documentIdOf(bot), value, version }];
    return (await store.write({ put, append })) !== null;
  };

  /** Locks the list; resolves to its version. */
  const lock = async (agent: AgentView, { bot, seen }: Pick<TeachRequest, 'bot' | 'seen'>) => {
    const { version, stored } = await read(bot);
    const { lock: held, ...before } = stored;
    if ((held?.since ?? 0) + LOCK_EXPIRES_MS > Date.now()) throw new DeskError('TEACHING');
    if (before.pairs.length !== seen) throw new DeskError('CHANGED');
    const locked = { ...before, lock: { agent: agent.id, since: Date.now() } };
    const isLocked = await write(bot, locked, version);
    if (!isLocked) throw new DeskError('TEACHING');
    return { before, version: version + 1 };
  };

  /** Sends a changed list to the platform and stores it once it was accepted. */
  const change = async (
    agent: AgentView,
    action: string,
    request: Pick<TeachRequest, 'bot' | 'seen'>,
    changePairs: (pairs: readonly QaPair[]) => readonly QaPair[],
  ): Promise<TeachView> => {
    const { bot } = request;
    const platform = platforms.get(bot);
    if (!platform) throw new DeskError('CANNOT_TEACH');
    const { before, version } = await lock(agent, request);
    try {
      const pairs = changePairs(before.pairs);
      const { document, isTaken } = await send(platform, before, pairs);
      if (!isTaken) {
        await write(bot, { document, pairs: before.pairs, updateFailed: true }, version);
        throw new DeskError('TEACHING_FAILED', { cause: listedAsFailed() });
      }
      const isNew = before.document !== null && before.document.id !== document?.id;
      const detail = `${pairs.length} pairs${isNew ? `, in a new document instead of ${before.document?.id}` : ''}`;
      const value = { document, pairs };
      const line = audit.line(agent.id, action, {
        detail,
        before: { pairs: before.pairs.length, document: before.document?.id ?? null },
        after: { pairs: pairs.length, document: document?.id ?? null },
      });
      if (!(await write(bot, value, version, [line]))) {
        throw new DeskError('CHANGED');
      }
      return value;
    } catch (error) {
      // Unlocks, unless already unlocked. The next lesson sends the complete list again.
      await write(bot, before, version);
      throw error instanceof DeskError ? error : new DeskError('TEACHING_FAILED', { cause: error });
    }
  };

  return {
    view: async (bot) => viewOf((await read(bot)).stored),
    teach: (agent, { question, answer, instead, ...request }) =>
      change(agent, 'teach', request, (pairs) => {
        const isGone = instead !== undefined && !pairs.some((pair) => pair.question === instead);
        if (isGone) throw new DeskError('CHANGED');
        // A question that was taught before gets the new answer.
        const others = pairs.filter((pair) => pair.question !== question && pair.question !== instead);
        return [...others, { question, answer }];
      }),
    remove: (agent, { question, ...request }) =>
      change(agent, 'unteach', request, (pairs) => {
        const others = pairs.filter((pair) => pair.question !== question);
        if (others.length === pairs.length) throw new DeskError('CHANGED');
        if (others.length === 0) throw new DeskError('LAST_PAIR');
        return others;
      }),
  };
}

/** Sends the complete list, into a new document if the platform no longer has the old one. */
async function send(
  client: PlatformClient,
  { document, updateFailed = false }: StoredTeaching,
  pairs: readonly QaPair[],
): Promise<Sent> {
  const qaList = pairs.map(({ question, answer }) => ({ question, answer }));
  const updated = document && (await update(client, document, qaList));
  // How the platform reports a deleted document is not documented. One failure can pass; after a second it is replaced.
  if (updated && (updated.isTaken || !updateFailed)) return updated;
  const { doc, failed } = await client.knowledge.addQa({ purpose: 'QA_TEXT', name: KNOWLEDGE_NAME, qaList });
  return sentTo(doc[0], document, failed);
}

/** Replaces the pairs of a document; `null` if the platform refuses or does not mention it: it was deleted there. */
async function update(
  client: PlatformClient,
  document: NonNullable<TeachView['document']>,
  qaList: QaPair[],
): Promise<Sent | null> {
  try {
    const { doc, failed } = await client.knowledge.updateQa({ doc_id: document.id, qaList });
    return doc.length + failed.length > 0 ? sentTo(doc[0], document, failed) : null;
  } catch (error) {
    if (error instanceof PlatformError && error.code === 'PLATFORM_REFUSED') return null;
    throw error;
  }
}

function sentTo(
  result: DocumentResult | undefined,
  before: TeachView['document'],
  failed: readonly string[],
): Sent {
  // The id is kept in any case, so that the next lesson does not create another document.
  const document = result ? { id: result.doc_id, name: result.doc_name ?? KNOWLEDGE_NAME } : before;
  return { document, isTaken: result !== undefined && failed.length === 0 };
}

const listedAsFailed = (): HandoffKitError =>
  new HandoffKitError(
    'TEACHING_FAILED',
    `the platform did not add the pairs to "${KNOWLEDGE_NAME}": it lists the document as failed. Try again later; if it stays, ask the platform.`,
  );

const viewOf = ({ document, pairs }: StoredTeaching): TeachView => ({ document, pairs });
