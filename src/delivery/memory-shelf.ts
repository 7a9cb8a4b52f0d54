import type { Doc, DocPut, Entry, Shelf } from './shelf.js';

interface Kept extends Doc {
  readonly put: DocPut;
  readonly rank: number;
}

/** Entries kept at most; the oldest go first. */
const MOST_ENTRIES = 100_000;

/** Makes a {@link Shelf} that lasts as long as the process. Values are copied, as a database would. */
export function createMemoryShelf(): Shelf {
  const docs = new Map<string, Kept>();
  const watching = new Set<() => void>();
  let entries: Entry[] = [];
  let head = 0;

  const nameOf = (kind: string, id: string): string => JSON.stringify([kind, id]);
  const ofKind = (kind: string): Kept[] => [...docs.values()].filter((doc) => doc.kind === kind);

  const keep = (put: DocPut, now: Date): Doc => {
    const { kind, id, value, version } = put;
    const doc = { kind, id, value: copy(value), version: version + 1, changedAt: now };
    docs.set(nameOf(kind, id), { ...doc, put, rank: put.rank ?? now.getTime() });
    return doc;
  };

  return {
    async get(kind, id) {
      const kept = docs.get(nameOf(kind, id));
      return kept ? toDoc(kept) : null;
    },
    async list(kind, { group, search, belowRank = Number.POSITIVE_INFINITY, limit = 100 } = {}) {
      const wanted = search?.toLowerCase() ?? '';
      return ofKind(kind)
        .filter((doc) => group === undefined || doc.put.group === group)
        .filter(({ rank, put }) => rank < belowRank && (put.terms ?? '').toLowerCase().includes(wanted))
        .sort((a, b) => b.rank - a.rank)
        .slice(0, limit)
        .map(toDoc);
    },
    async count(kind) {
      const counts: Record<string, number> = {};
      for (const { put } of ofKind(kind)) counts[put.group ?? ''] = (counts[put.group ?? ''] ?? 0) + 1;
      return counts;
    },
    async write({ put = [], remove = [], append = [] }) {
      const fits = put.every(
        ({ kind, id, version }) => (docs.get(nameOf(kind, id))?.version ?? 0) === version,
      );
      if (!fits) return null;
      const now = new Date();
      for (const { kind, id } of remove) docs.delete(nameOf(kind, id));
      const written = put.map((each) => keep(each, now));
      const added = append.map(({ topic, value, conversationId = null }): Entry => {
        head += 1;
        return { seq: head, topic, value: copy(value), conversationId, at: now };
      });
      entries.push(...added);
      if (entries.length > MOST_ENTRIES * 1.1) entries = entries.slice(-MOST_ENTRIES);
      if (added.length > 0) for (const changed of watching) changed();
      return { docs: written, entries: added };
    },
    async read({ after = 0, before = Number.POSITIVE_INFINITY, topics, conversationId, limit = 100 } = {}) {
      const found = entries.filter(
        (entry) =>
          entry.seq > after &&
          entry.seq < before &&
          (!topics || topics.includes(entry.topic)) &&
          (conversationId === undefined || entry.conversationId === conversationId),
      );
      return before === Number.POSITIVE_INFINITY ? found.slice(0, limit) : found.slice(-limit);
    },
    head: async () => head,
    watch(changed) {
      watching.add(changed);
      return () => void watching.delete(changed);
    },
    async forget(conversationIds) {
      const gone = new Set<string | null | undefined>(conversationIds);
      for (const [name, { put }] of docs) if (gone.has(put.conversationId)) docs.delete(name);
      entries = entries.filter(({ conversationId }) => conversationId === null || !gone.has(conversationId));
    },
    async prune(before, { kind, group }) {
      for (const [name, { put, changedAt }] of docs) {
        if (put.kind === kind && put.group === group && changedAt < before) docs.delete(name);
      }
      entries = entries.filter(({ at }) => at >= before);
    },
  };
}

const copy = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const toDoc = ({ kind, id, version, value, changedAt }: Kept): Doc => ({
  kind,
  id,
  version,
  value: copy(value),
  changedAt,
});
