/** A document: something with a name that changes over time. */
export interface Doc {
  readonly kind: string;
  readonly id: string;
  /** Grows with every change, so that two who change it at once do not overwrite each other. */
  readonly version: number;
  /** JSON. */
  readonly value: unknown;
  readonly changedAt: Date;
}

/** A document as it is to be written. */
export interface DocPut {
  readonly kind: string;
  readonly id: string;
  readonly value: unknown;
  /** The version that it replaces; 0 when it must be new. */
  readonly version: number;
  /** Lists can be asked for one group: such as all that are open. */
  readonly group?: string;
  /** What lists are ordered by, the greatest first. Default: the time of the change, in milliseconds. */
  readonly rank?: number;
  /** What a search looks through. */
  readonly terms?: string;
  /** Whose it is: it goes when that conversation is forgotten. */
  readonly conversationId?: string;
}

/** Something that happened, in the order in which it was written down. */
export interface Entry {
  /** Grows from entry to entry; nobody ever sees an entry appear before one that was seen. */
  readonly seq: number;
  readonly topic: string;
  readonly conversationId: string | null;
  /** JSON. */
  readonly value: unknown;
  readonly at: Date;
}

/** An entry as it is to be written. */
export interface EntryAppend {
  /** What it is about; readers choose by it. */
  readonly topic: string;
  readonly value: unknown;
  /** Whose it is: it goes when that conversation is forgotten. */
  readonly conversationId?: string;
}

/** What is written together or not at all. */
export interface ShelfChange {
  readonly put?: readonly DocPut[];
  /** Others than those that are put. */
  readonly remove?: readonly { readonly kind: string; readonly id: string }[];
  readonly append?: readonly EntryAppend[];
}

/** What was written. */
export interface ShelfWritten {
  /** As the documents are now, in the order of `put`. */
  readonly docs: readonly Doc[];
  /** In the order of `append`. */
  readonly entries: readonly Entry[];
}

/** Which documents to list. */
export interface DocFilter {
  readonly group?: string;
  /** Only those whose terms hold this text, whatever its case. */
  readonly search?: string;
  /** Only those of a rank below this. */
  readonly belowRank?: number;
  /** Default 100. */
  readonly limit?: number;
}

/** Which entries to read. */
export interface EntryFilter {
  /** Only those after this one: the oldest first. */
  readonly after?: number;
  /** Only those before this one: the latest, then given the oldest first. */
  readonly before?: number;
  readonly topics?: readonly string[];
  readonly conversationId?: string;
  /** Default 100. */
  readonly limit?: number;
}

/**
 * Room for what an application must keep beside events and replies: documents, and a journal of what happened.
 * It is in the database of the delivery, so all processes on that see the same.
 */
export interface Shelf {
  get(kind: string, id: string): Promise<Doc | null>;
  list(kind: string, filter?: DocFilter): Promise<Doc[]>;
  /** How many documents there are of a kind, by group. */
  count(kind: string): Promise<Readonly<Record<string, number>>>;
  /** Writes all of it, or nothing: `null` when a document is not of the version that it should replace. */
  write(change: ShelfChange): Promise<ShelfWritten | null>;
  read(filter?: EntryFilter): Promise<Entry[]>;
  /** The last entry's number; 0 when there is none. */
  head(): Promise<number>;
  /** Calls back soon after entries were written, here or elsewhere; read to see which. Returns how to stop. */
  watch(changed: () => void): () => void;
  /** Removes everything of conversations. */
  forget(conversationIds: readonly string[]): Promise<void>;
  /** Removes entries written before a time, and documents of a group last changed before it. */
  prune(before: Date, of: { readonly kind: string; readonly group: string }): Promise<void>;
}

/** A shelf that was opened by itself. */
export interface OpenShelf {
  readonly shelf: Shelf;
  /** Lets go of the database. */
  close(): Promise<void>;
}
