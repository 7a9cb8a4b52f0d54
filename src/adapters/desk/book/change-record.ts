import type { Doc, DocPut, EntryAppend, Shelf } from '../../../delivery/index.js';
import type { Happening, Summary } from '../api.js';
import { type DeskRecord, groupOf, KIND, type StoredHappening, summaryOf, TOPIC, termsOf } from './record.js';

/** What is to be written about a conversation. */
export interface Decision {
  readonly record: DeskRecord;
  readonly happenings: readonly Happening[];
  /** Other documents that change in the same moment. */
  readonly put?: readonly DocPut[];
  /** What else is written down in the same moment. */
  readonly append?: readonly EntryAppend[];
}

/** Decides what becomes of a conversation. It is asked again when somebody came in between. */
export type Decide = (record: DeskRecord) => Decision | null | Promise<Decision | null>;

/** Writes decisions about conversations. */
export interface Records {
  get(id: string): Promise<{ readonly record: DeskRecord; readonly version: number } | null>;
  /**
   * Reads a conversation, decides, and writes, again and again until nobody came in between. `null`: there is no
   * such conversation. A decision of `null` changes nothing and gives the conversation as it is.
   */
  change(id: string, decide: Decide): Promise<Summary | null>;
  /** Stores a new conversation; `false` when it is there. */
  add(decision: Decision): Promise<boolean>;
}

/** Makes {@link Records}. */
export function createRecords(shelf: Shelf): Records {
  const write = async ({ record, happenings, put = [], append = [] }: Decision, version: number) => {
    const summary = summaryOf(record, version + 1);
    const { id, conversationId } = record;
    return shelf.write({
      put: [
        {
          kind: KIND.conversation,
          id,
          value: record,
          version,
          group: groupOf(record),
          rank: record.requestedAt,
          terms: termsOf(record),
          conversationId,
        },
        ...put,
      ],
      append: [
        ...happenings.map((happening) => ({
          topic: TOPIC.desk,
          conversationId,
          value: { summary, happening } satisfies StoredHappening,
        })),
        ...append,
      ],
    });
  };

  const get: Records['get'] = async (id) => {
    const doc = await shelf.get(KIND.conversation, id);
    return doc ? { record: recordOf(doc), version: doc.version } : null;
  };

  return {
    get,
    async change(id, decide) {
      for (;;) {
        const found = await get(id);
        if (!found) return null;
        const decision = await decide(found.record);
        if (!decision) return summaryOf(found.record, found.version);
        if (await write(decision, found.version)) return summaryOf(decision.record, found.version + 1);
      }
    },
    add: async (decision) => (await write(decision, 0)) !== null,
  };
}

/** A conversation, read from the shelf. */
export const recordOf = ({ value }: Doc): DeskRecord => value as DeskRecord;
