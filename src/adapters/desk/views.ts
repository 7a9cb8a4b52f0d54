import type { Shelf } from '../../delivery/index.js';
import type { ConversationView, DeskState, JournalEntry, ListView, Summary } from './api.js';
import { recordOf } from './book/change-record.js';
import { KIND, summaryOf, TOPIC } from './book/record.js';
import { toJournalEntry } from './live.js';
import { DeskRefusal } from './refuse.js';

/** Entries shown when a conversation is opened. */
const ENTRIES = 200;
/** Conversations in a page of a list. */
const PAGE = 50;
/** Open conversations shown at once; a desk with more has other worries. */
const MOST_OPEN = 5_000;

/** Reads what the page shows. */
export interface Views {
  /** All that are open, and the last closed. */
  current(): Promise<Summary[]>;
  list(filter: {
    readonly state?: DeskState;
    readonly search?: string;
    readonly before?: number;
  }): Promise<ListView>;
  conversation(id: string): Promise<ConversationView>;
  /** Earlier entries of a conversation. */
  entries(id: string, before: number): Promise<{ readonly entries: JournalEntry[]; readonly more: boolean }>;
}

/** Makes {@link Views}. */
export function createViews(shelf: Shelf): Views {
  const summaries = async (
    ...filter: Parameters<Shelf['list']> extends [string, ...infer Rest] ? Rest : never
  ) => {
    const docs = await shelf.list(KIND.conversation, ...filter);
    return docs.map((doc) => summaryOf(recordOf(doc), doc.version));
  };
  const find = async (id: string) => {
    const doc = await shelf.get(KIND.conversation, id);
    if (!doc) throw new DeskRefusal('NOT_FOUND');
    return { record: recordOf(doc), version: doc.version };
  };

  const entriesOf = async (conversationId: string, id: string, before: number) => {
    const found = await shelf.read({ conversationId, before, topics: [TOPIC.desk], limit: ENTRIES + 1 });
    // A conversation that was asked for again has the same id of the service, and is another one here.
    const entries = found
      .slice(-ENTRIES)
      .map(toJournalEntry)
      .filter(({ summary }) => summary.id === id);
    return { entries, more: found.length > ENTRIES };
  };

  return {
    async current() {
      const lists = await Promise.all([
        summaries({ group: 'waiting', limit: MOST_OPEN }),
        summaries({ group: 'active', limit: MOST_OPEN }),
        summaries({ group: 'closed', limit: PAGE }),
      ]);
      return lists.flat();
    },
    async list({ state, search, before }) {
      const found = await summaries({
        ...(state && { group: state }),
        ...(search && { search }),
        ...(before !== undefined && { belowRank: before }),
        limit: PAGE + 1,
      });
      return { conversations: found.slice(0, PAGE), more: found.length > PAGE };
    },
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
