import type {
  ConversationListView,
  ConversationStatus,
  ConversationSummary,
  ConversationUpdate,
  ConversationView,
  StateView,
} from '../../api.js';
import { DeskError } from '../errors.js';
import { toConversationUpdate } from '../live-updates.js';
import { DOCUMENT_KIND, type DocumentFilter, type DocumentStore, JOURNAL_TOPIC } from '../store/index.js';
import type { StoredMention } from './agent-actions.js';
import { recordOf, summaryOf } from './conversation-records.js';
import { searchRankOf } from './search-rank.js';

/** Journal entries per page of a conversation. */
const ENTRIES_PAGE = 200;
/** Conversations per page of a list. */
const LIST_PAGE = 50;
/** Conversations that a search compares at most, the newest. */
const CANDIDATES = 500;
/** Messages that a search finds at most. */
const MESSAGE_HITS = 200;
/** Mentions of an agent that are listed. */
const MENTIONS = 100;
/** The length of a message's part around the text that was found. */
const SNIPPET = 120;
/** Open conversations per page of a list. */
const OPEN_PAGE = 500;

const OPEN_STATES = ['waiting', 'active'] as const;

interface ListFilter {
  readonly state?: ConversationStatus;
  readonly search?: string;
  /** The last conversation of the page before. */
  readonly before?: Pick<ConversationSummary, 'requestedAt' | 'id'>;
}

/** Reads conversations for the page. */
export interface ConversationQueries {
  /**
   * The latest open conversations, with where the pages of others begin, the latest closed ones, and the latest ones
   * with a mention of the agent.
   */
  current(agent: string): Promise<Pick<StateView, 'conversations' | 'more'>>;
  list(filter: ListFilter): Promise<ConversationListView>;
  conversation(id: string): Promise<ConversationView>;
  /** Earlier entries of a conversation. */
  entries(
    id: string,
    before: number,
  ): Promise<{ readonly entries: ConversationUpdate[]; readonly more: boolean }>;
}

export function createConversationQueries(store: DocumentStore): ConversationQueries {
  const summaries = async (filter: DocumentFilter): Promise<ConversationSummary[]> => {
    const documents = await store.list(DOCUMENT_KIND.conversation, filter);
    return documents.map((document) => summaryOf(recordOf(document), document.version));
  };

  const pageOf = async ({ state, search, before }: ListFilter): Promise<ConversationListView> => {
    const size = OPEN_STATES.some((each) => each === state) ? OPEN_PAGE : LIST_PAGE;
    const found = await summaries({
      ...(state && { group: state }),
      ...(search && { search }),
      ...(before && { belowRank: before.requestedAt, afterId: before.id }),
      limit: size + 1,
    });
    return { conversations: found.slice(0, size), more: found.length > size };
  };

  const find = async (id: string) => {
    const document = await store.get(DOCUMENT_KIND.conversation, id);
    if (!document) throw new DeskError('NOT_FOUND');
    return { record: recordOf(document), version: document.version };
  };

  const entriesOf = async (conversationId: string, id: string, before: number) => {
    const topics = [JOURNAL_TOPIC.conversation];
    const found = await store.read({ conversationId, before, topics, limit: ENTRIES_PAGE + 1 });
    // The platform may use a conversation id again; the desk has its own id for each handoff.
    const entries = found
      .slice(-ENTRIES_PAGE)
      .map(toConversationUpdate)
      .filter(({ summary }) => summary.id === id);
    return { entries, more: found.length > ENTRIES_PAGE };
  };

  /** Finds conversations by ids, contact details of the customer and messages, the best first. */
  const searchAll = async (search: string): Promise<ConversationListView> => {
    const byTerms = await summaries({ search, limit: CANDIDATES });
    const entries = await store.search(JOURNAL_TOPIC.conversation, search, MESSAGE_HITS);
    const messages = new Map<string, string>();
    for (const { summary, event } of entries.map(toConversationUpdate)) {
      const text = event.type === 'message' || event.type === 'note' ? event.text : '';
      // Newest first: the latest message that has the text is shown.
      if (!messages.has(summary.id)) messages.set(summary.id, text);
    }
    const known = new Set(byTerms.map(({ id }) => id));
    const others = [...messages.keys()].filter((id) => !known.has(id));
    const found = await Promise.all(others.map((id) => store.get(DOCUMENT_KIND.conversation, id)));
    const byText = found.flatMap((document) =>
      document ? summaryOf(recordOf(document), document.version) : [],
    );
    const ranked = [...byTerms, ...byText].flatMap((summary) => {
      const rank = searchRankOf(search, summary, messages.get(summary.id));
      return rank === null ? [] : [{ summary, rank }];
    });
    const conversations = ranked
      .sort((a, b) => a.rank - b.rank || b.summary.requestedAt - a.summary.requestedAt)
      .slice(0, LIST_PAGE)
      .map(({ summary }) => summary);
    const snippets = conversations.flatMap(({ id }) => {
      const text = messages.get(id);
      return text === undefined ? [] : [[id, snippetOf(text, search)] as const];
    });
    return { conversations, more: false, snippets: Object.fromEntries(snippets) };
  };

  /** Conversations with mentions of an agent, without those that are known. */
  const mentioned = async (agent: string, known: ReadonlySet<string>): Promise<ConversationSummary[]> => {
    const mentions = await store.list(DOCUMENT_KIND.mention, { group: agent, limit: MENTIONS });
    const ids = new Set(mentions.map(({ value }) => (value as StoredMention).conversation));
    const found = await Promise.all(
      [...ids].filter((id) => !known.has(id)).map((id) => store.get(DOCUMENT_KIND.conversation, id)),
    );
    return found.flatMap((document) => (document ? summaryOf(recordOf(document), document.version) : []));
  };

  return {
    async current(agent) {
      const open = await Promise.all(OPEN_STATES.map((state) => pageOf({ state })));
      const closed = await pageOf({ state: 'closed' });
      const listed = [...open, closed].flatMap(({ conversations }) => conversations);
      const known = new Set(listed.map(({ id }) => id));
      const more = open.flatMap(({ conversations, more: isMore }) => {
        const last = conversations.at(-1);
        return isMore && last ? [last] : [];
      });
      return {
        conversations: [...listed, ...(await mentioned(agent, known))],
        more: more.map(({ state, requestedAt, id }) => ({ state, after: { requestedAt, id } })),
      };
    },
    list: (filter) =>
      filter.search && !filter.state && !filter.before ? searchAll(filter.search) : pageOf(filter),
    async conversation(id) {
      const { record, version } = await find(id);
      const { entries, more } = await entriesOf(record.conversationId, id, Number.MAX_SAFE_INTEGER);
      const { botId, transcript } = record;
      return { summary: summaryOf(record, version), botId, transcript, entries, more };
    },
    async entries(id, before) {
      const { record } = await find(id);
      return entriesOf(record.conversationId, id, before);
    },
  };
}

/** The part of a message around the text that was found; empty when the match is in the transcript. */
function snippetOf(text: string, search: string): string {
  const at = Math.max(0, text.toLowerCase().indexOf(search.toLowerCase()));
  const start = Math.max(0, at - SNIPPET / 3);
  const part = text.slice(start, start + SNIPPET);
  return `${start > 0 ? '…' : ''}${part}${start + SNIPPET < text.length ? '…' : ''}`;
}
