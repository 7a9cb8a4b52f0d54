import {
  type Document,
  type DocumentStore,
  type DocumentWrite,
  type JournalAppend,
  type JournalEntry,
  SEARCHED_ENTRIES,
} from './document-store.js';

interface MemoryDocument extends Document {
  readonly written: DocumentWrite;
  readonly rank: number;
}

interface MemoryEntry extends JournalEntry {
  readonly conversationId: string | null;
  readonly terms: string;
}

/** Older journal entries are dropped beyond this. */
const MAX_ENTRIES = 100_000;

/** Creates a {@link DocumentStore} that lives as long as the process. Values are copied, as a database would. */
export function createMemoryDocumentStore(): DocumentStore {
  const documents = new Map<string, MemoryDocument>();
  const listeners = new Set<() => void>();
  let entries: MemoryEntry[] = [];
  let head = 0;

  const ofKind = (kind: string): MemoryDocument[] =>
    [...documents.values()].filter((document) => document.kind === kind);

  const put = (written: DocumentWrite, changedAt: Date): void => {
    const { kind, id, value, version, rank = changedAt.getTime() } = written;
    const document = { kind, id, value: copy(value), version: version + 1, changedAt, written, rank };
    documents.set(keyOf(kind, id), document);
  };

  const append = ({ topic, value, conversationId, terms = '' }: JournalAppend, at: Date): MemoryEntry => {
    head += 1;
    return {
      seq: head,
      topic,
      value: copy(value),
      conversationId: conversationId ?? null,
      terms: terms.toLowerCase(),
      at,
    };
  };

  return {
    async get(kind, id) {
      const found = documents.get(keyOf(kind, id));
      return found ? toDocument(found) : null;
    },
    async list(
      kind,
      { group, search = '', belowRank = Number.POSITIVE_INFINITY, afterId, limit = 100 } = {},
    ) {
      const wanted = search.toLowerCase();
      return ofKind(kind)
        .filter(({ written }) => group === undefined || written.group === group)
        .filter(
          ({ rank, id }) => rank < belowRank || (rank === belowRank && afterId !== undefined && id > afterId),
        )
        .filter(({ written }) => (written.terms ?? '').toLowerCase().includes(wanted))
        .sort((a, b) => b.rank - a.rank || (a.id < b.id ? -1 : 1))
        .slice(0, limit)
        .map(toDocument);
    },
    async count(kind) {
      const counts: Record<string, number> = {};
      for (const { written } of ofKind(kind)) {
        const group = written.group ?? '';
        counts[group] = (counts[group] ?? 0) + 1;
      }
      return counts;
    },
    async write(change) {
      const writes = change.put ?? [];
      const isCurrent = writes.every(
        ({ kind, id, version }) => (documents.get(keyOf(kind, id))?.version ?? 0) === version,
      );
      if (!isCurrent) return null;
      const now = new Date();
      for (const { kind, id } of change.remove ?? []) documents.delete(keyOf(kind, id));
      for (const written of writes) put(written, now);
      const added = (change.append ?? []).map((entry) => append(entry, now));
      entries.push(...added);
      if (entries.length > MAX_ENTRIES * 1.1) entries = entries.slice(-MAX_ENTRIES);
      if (added.length > 0) for (const listener of listeners) listener();
      return { entries: added.map(toEntry) };
    },
    async read({ after = 0, before, topics, conversationId, limit = 100 } = {}) {
      const found = entries.filter(
        (entry) =>
          entry.seq > after &&
          (before === undefined || entry.seq < before) &&
          (!topics || topics.includes(entry.topic)) &&
          (conversationId === undefined || entry.conversationId === conversationId),
      );
      return (before === undefined ? found.slice(0, limit) : found.slice(-limit)).map(toEntry);
    },
    async search(topic, text, limit) {
      const wanted = text.toLowerCase();
      return entries
        .filter((entry) => entry.topic === topic && entry.terms !== '')
        .slice(-SEARCHED_ENTRIES)
        .filter(({ terms }) => terms.includes(wanted))
        .slice(-limit)
        .toReversed()
        .map(toEntry);
    },
    head: async () => head,
    watch(onChange) {
      listeners.add(onChange);
      return () => void listeners.delete(onChange);
    },
    async forget(conversationIds) {
      const forgotten = new Set<string | null | undefined>(conversationIds);
      for (const [key, { written }] of documents) {
        if (forgotten.has(written.conversationId)) documents.delete(key);
      }
      entries = entries.filter(({ conversationId }) => !forgotten.has(conversationId));
    },
    async prune(before, { kind, group }) {
      for (const [key, { written, changedAt }] of documents) {
        const isMeant = written.kind === kind && (group === undefined || written.group === group);
        if (isMeant && changedAt < before) documents.delete(key);
      }
    },
    async pruneJournal(before) {
      entries = entries.filter(({ at }) => at >= before);
    },
  };
}

const keyOf = (kind: string, id: string): string => JSON.stringify([kind, id]);

const copy = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const toDocument = ({ kind, id, version, value, changedAt }: MemoryDocument): Document => ({
  kind,
  id,
  version,
  value: copy(value),
  changedAt,
});

const toEntry = ({ seq, topic, value, at }: MemoryEntry): JournalEntry => ({
  seq,
  topic,
  value: copy(value),
  at,
});
