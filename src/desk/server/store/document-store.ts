/** A JSON document with an id and a version. */
export interface Document {
  readonly kind: string;
  readonly id: string;
  /** Grows by 1 with every change. A writer names the version it read, so that it cannot overwrite a newer one. */
  readonly version: number;
  /** JSON. */
  readonly value: unknown;
  readonly changedAt: Date;
}

/** A document to write. */
export interface DocumentWrite {
  readonly kind: string;
  readonly id: string;
  readonly value: unknown;
  /** The version that this write replaces; 0 for a new document. */
  readonly version: number;
  /** Documents can be listed and counted by group, such as all open conversations. */
  readonly group?: string;
  /** Lists are sorted by rank, highest first. Default: the time of the change, in milliseconds. */
  readonly rank?: number;
  /** The text that a search looks through. */
  readonly terms?: string;
  /** The document is deleted when the user of this conversation is forgotten. */
  readonly conversationId?: string;
}

/** An entry of the journal, which is append-only. */
export interface JournalEntry {
  /** Grows with every entry. An entry never becomes visible after one with a higher number. */
  readonly seq: number;
  readonly topic: string;
  /** JSON. */
  readonly value: unknown;
  readonly at: Date;
}

/** A journal entry to write. */
export interface JournalAppend {
  /** The text that a search looks through; entries without it are not searched. */
  readonly terms?: string;
  /** Readers select entries by topic. */
  readonly topic: string;
  readonly value: unknown;
  /** The entry is deleted when the user of this conversation is forgotten. */
  readonly conversationId?: string;
}

/** Changes that are committed together. */
export interface StoreChange {
  readonly put?: readonly DocumentWrite[];
  /** Documents to delete. None of them may be in `put`. */
  readonly remove?: readonly { readonly kind: string; readonly id: string }[];
  readonly append?: readonly JournalAppend[];
}

/** The result of a committed {@link StoreChange}. */
export interface StoreChangeResult {
  /** The appended entries with their numbers, in the order of `append`. */
  readonly entries: readonly JournalEntry[];
}

/** Selects documents. */
export interface DocumentFilter {
  readonly group?: string;
  /** Only documents whose terms contain this text; case is ignored. */
  readonly search?: string;
  /** Only documents with a lower rank. */
  readonly belowRank?: number;
  /** With `belowRank`: also documents of that rank whose ids come after this one, so that pages drop none. */
  readonly afterId?: string;
  /** Default 100. */
  readonly limit?: number;
}

/** Selects journal entries. */
export interface JournalFilter {
  /** Only entries with a higher number, oldest first. */
  readonly after?: number;
  /** Only entries with a lower number: the latest of them, given oldest first. */
  readonly before?: number;
  readonly topics?: readonly string[];
  readonly conversationId?: string;
  /** Default 100. */
  readonly limit?: number;
}

/** Journal entries that a search looks through: some hundred milliseconds at most. */
export const SEARCHED_ENTRIES = 20_000;

/**
 * The desk's storage: versioned JSON documents and a journal. It is in the database of the delivery, so that all
 * processes on that database share it.
 */
export interface DocumentStore {
  get(kind: string, id: string): Promise<Document | null>;
  list(kind: string, filter?: DocumentFilter): Promise<Document[]>;
  /** The number of documents of a kind, by group. */
  count(kind: string): Promise<Readonly<Record<string, number>>>;
  /** Commits a change. `null`: a document no longer has the version that was to be replaced, and nothing was written. */
  write(change: StoreChange): Promise<StoreChangeResult | null>;
  /** Reads the journal. */
  read(filter?: JournalFilter): Promise<JournalEntry[]>;
  /**
   * The latest entries of a topic whose terms contain a text, newest first; case is ignored. Looks through the
   * {@link SEARCHED_ENTRIES} latest entries that have terms, so that a search takes a bounded time.
   */
  search(topic: string, text: string, limit: number): Promise<JournalEntry[]>;
  /** The number of the last journal entry; 0 when the journal is empty. */
  head(): Promise<number>;
  /** Calls back soon after this or another process appended entries. Returns a function that stops it. */
  watch(onChange: () => void): () => void;
  /** Deletes all documents and entries of conversations. */
  forget(conversationIds: readonly string[]): Promise<void>;
  /** Deletes documents of a kind, or of one group of it, that were last changed before a time. */
  prune(before: Date, of: { readonly kind: string; readonly group?: string }): Promise<void>;
  /** Deletes journal entries that were written before a time. */
  pruneJournal(before: Date): Promise<void>;
}
