import type { Doc, Entry } from './shelf.js';
import { fromText } from './text.js';

type Row = Readonly<Record<string, unknown>>;

/** Reads a document's row, whichever database it comes from. */
export function toDoc({ kind, id, version, value, changed_at: changedAt }: Row): Doc {
  return {
    kind: String(kind),
    id: fromText(id),
    version: Number(version),
    value: JSON.parse(String(value)),
    changedAt: new Date(Number(changedAt)),
  };
}

/** Reads an entry's row. */
export function toEntry({ seq, topic, conversation_id: conversationId, value, at }: Row): Entry {
  return {
    seq: Number(seq),
    topic: String(topic),
    conversationId: conversationId === null ? null : fromText(conversationId),
    value: JSON.parse(String(value)),
    at: new Date(Number(at)),
  };
}
