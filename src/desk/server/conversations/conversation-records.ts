import type { HandoffSession } from '../../../bridge/index.js';
import type {
  ConversationEvent,
  ConversationSummary,
  ConversationUpdate,
  TranscriptLine,
} from '../../api.js';
import {
  DOCUMENT_KIND,
  type Document,
  type DocumentStore,
  type DocumentWrite,
  JOURNAL_TOPIC,
  type JournalAppend,
} from '../store/index.js';

/** Where a new conversation goes: to a team, to one agent, or to everyone. */
export interface ConversationTarget {
  readonly team: string | null;
  readonly preferredAgent: string | null;
}

/** Finds the target of a new conversation. */
export type FindTarget = (session: HandoffSession) => Promise<ConversationTarget>;

/** For everyone. */
export const NO_TARGET: ConversationTarget = { team: null, preferredAgent: null };

/** A conversation as the desk stores it. */
export interface ConversationRecord extends Omit<ConversationSummary, 'version'> {
  readonly botId: string | null;
  readonly transcript: readonly TranscriptLine[];
  /** The one agent whom a rule or the application chose; `null` for all of the team. */
  readonly preferredAgent: string | null;
  /** Agents who gave it back: rules do not assign it to them again. */
  readonly declined: readonly string[];
  /** Keys of the latest messages and notes, so that one that arrives twice is shown once. */
  readonly recent: readonly string[];
  /** When the customer began to wait for an agent; `null` after a reply. Older versions did not store it. */
  readonly unansweredSince?: number | null;
}

/** The value of a journal entry about a conversation. */
export type StoredUpdate = Pick<ConversationUpdate, 'summary' | 'event'>;

/** A change of a conversation. All parts are committed together. */
export interface RecordChange {
  readonly record: ConversationRecord;
  readonly events: readonly ConversationEvent[];
  /** Other documents to write. */
  readonly put?: readonly DocumentWrite[];
  /** Other journal entries to write, such as audit lines. */
  readonly append?: readonly JournalAppend[];
}

/** Computes a change from the current record. Called again when another writer was faster; `null` changes nothing. */
export type DecideChange = (record: ConversationRecord) => RecordChange | null | Promise<RecordChange | null>;

/** Reads and changes conversations. */
export interface ConversationRecords {
  get(id: string): Promise<{ readonly record: ConversationRecord; readonly version: number } | null>;
  /** Reads, decides and writes until no other writer interferes. `null` if the conversation does not exist. */
  change(id: string, decide: DecideChange): Promise<ConversationSummary | null>;
  /** Stores a new conversation; `false` when it exists already. */
  add(change: RecordChange): Promise<boolean>;
}

/** The preview of the last message in lists is cut to this length. */
const MAX_PREVIEW = 160;

/** How much of a transcript a search looks through. */
const MAX_TRANSCRIPT_TERMS = 20_000;

export function createConversationRecords(store: DocumentStore): ConversationRecords {
  const write = async ({ record, events, put = [], append = [] }: RecordChange, version: number) => {
    const summary = summaryOf(record, version + 1);
    const { id, conversationId } = record;
    return store.write({
      put: [
        {
          kind: DOCUMENT_KIND.conversation,
          id,
          value: record,
          version,
          group: record.state,
          rank: record.requestedAt,
          terms: searchTermsOf(record),
          conversationId,
        },
        ...put,
      ],
      append: [
        ...events.map((event) => ({
          topic: JOURNAL_TOPIC.conversation,
          conversationId,
          value: { summary, event } satisfies StoredUpdate,
          terms: textOf(event, record),
        })),
        ...append,
      ],
    });
  };

  const get: ConversationRecords['get'] = async (id) => {
    const document = await store.get(DOCUMENT_KIND.conversation, id);
    return document ? { record: recordOf(document), version: document.version } : null;
  };

  return {
    get,
    async change(id, decide) {
      for (;;) {
        const found = await get(id);
        if (!found) return null;
        const change = await decide(found.record);
        if (!change) return summaryOf(found.record, found.version);
        if (await write(change, found.version)) return summaryOf(change.record, found.version + 1);
      }
    },
    add: async (change) => (await write(change, 0)) !== null,
  };
}

/** The searchable text of an event; for a new conversation, its transcript. */
function textOf(event: ConversationEvent, { transcript }: ConversationRecord): string {
  if (event.type === 'message' || event.type === 'note') return event.text;
  if (event.type !== 'opened') return '';
  return transcript
    .map(({ text }) => text)
    .join('\n')
    .slice(0, MAX_TRANSCRIPT_TERMS);
}

/** The record of a newly requested conversation. */
export function createRecord(
  session: HandoffSession,
  isGreeted: boolean,
  target: ConversationTarget,
): ConversationRecord {
  const { key, conversationId, bot, user, botId, transcript, requestedAt, replyBy, route } = session;
  const tags = [...(route?.tags ?? []), ...(route?.department === undefined ? [] : [route.department])];
  return {
    id: key,
    conversationId,
    bot,
    state: 'waiting',
    user,
    agent: null,
    offer: null,
    ...target,
    declined: [],
    mentions: {},
    requestedAt: requestedAt.getTime(),
    replyBy: isGreeted ? null : replyBy.getTime(),
    firstReplyAt: null,
    ended: null,
    last: lastWordsOf(transcript, requestedAt.getTime()),
    tags: [...new Set(tags)].sort(),
    priority: route?.priority ?? 'normal',
    snoozedUntil: null,
    customerMessages: 0,
    read: {},
    botId,
    transcript,
    recent: [],
    unansweredSince: Date.now(),
  };
}

/** The customer's last message to the bot, so that lists show what a waiting conversation is about. */
function lastWordsOf(transcript: readonly TranscriptLine[], at: number): ConversationSummary['last'] {
  const line = transcript.findLast(({ from, text }) => from === 'user' && text.trim() !== '');
  return line ? previewOf('customer', line.text, at) : null;
}

/** Keys remembered per conversation; fewer messages than that are in flight at a time. */
const REMEMBERED_KEYS = 50;

/** Remembers the key of a message or note. */
export const withRecent = (record: ConversationRecord, key: string): ConversationRecord => ({
  ...record,
  recent: [...record.recent, key].slice(-REMEMBERED_KEYS),
});

export const recordOf = ({ value }: Document): ConversationRecord => value as ConversationRecord;

/** The part of a record that lists show. */
export function summaryOf(record: ConversationRecord, version: number): ConversationSummary {
  const {
    botId: _botId,
    transcript: _transcript,
    recent: _recent,
    preferredAgent: _preferredAgent,
    declined: _declined,
    unansweredSince: _unansweredSince,
    ...summary
  } = record;
  return { ...summary, version };
}

/** The preview of a message in lists. */
export const previewOf = (
  from: 'customer' | 'agent',
  text: string,
  at: number,
): ConversationSummary['last'] => ({ from, text: text.slice(0, MAX_PREVIEW), at });

const searchTermsOf = ({ conversationId, user }: ConversationRecord): string =>
  [conversationId, user.userId, user.anonymousId, user.email, user.phone].filter(Boolean).join('\n');
