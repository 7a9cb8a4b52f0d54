import type { HandoffSession } from '../../../bridge/index.js';
import type { DeskState, JournalEntry, Summary, TranscriptLine } from '../api.js';

/** A conversation as the desk keeps it. */
export interface DeskRecord extends Omit<Summary, 'version'> {
  readonly botId: string | null;
  readonly transcript: readonly TranscriptLine[];
  /** Keys of the last messages, so that one that is brought again is shown once. */
  readonly recent: readonly string[];
}

/** Names of what the desk keeps on the shelf. */
export const KIND = {
  conversation: 'desk.conversation',
  /** What an agent did that the user is to hear of, until the delivery has it. */
  outgoing: 'desk.outgoing',
  agent: 'desk.agent',
  session: 'desk.session',
  settings: 'desk.settings',
} as const;

/** What the journal's entries are about. */
export const TOPIC = { desk: 'desk', audit: 'desk.audit' } as const;

const LONGEST_PREVIEW = 160;

/** A conversation that has just been brought to the desk. */
export function newRecord(session: HandoffSession, isGreeted: boolean): DeskRecord {
  const { key, conversationId, user, botId, transcript, requestedAt, replyBy } = session;
  return {
    id: key,
    conversationId,
    state: 'waiting',
    user,
    agent: null,
    requestedAt: requestedAt.getTime(),
    replyBy: isGreeted ? null : replyBy.getTime(),
    firstReplyAt: null,
    ended: null,
    last: null,
    customerMessages: 0,
    read: {},
    botId,
    transcript,
    recent: [],
  };
}

/** What lists show of a conversation. */
export function summaryOf(record: DeskRecord, version: number): Summary {
  const { id, conversationId, state, user, agent, requestedAt, replyBy, firstReplyAt } = record;
  const { ended, last, customerMessages, read } = record;
  return {
    id,
    conversationId,
    state,
    user,
    agent,
    requestedAt,
    replyBy,
    firstReplyAt,
    ended,
    last,
    customerMessages,
    read,
    version,
  };
}

/** The end of what was said last, for lists. */
export function lastSaid(from: 'customer' | 'agent', text: string, at: number): Summary['last'] {
  return { from, text: text.slice(0, LONGEST_PREVIEW), at };
}

/** What a search for a conversation looks through. */
export function termsOf({ conversationId, user }: DeskRecord): string {
  return [conversationId, user.userId, user.anonymousId, user.email, user.phone].filter(Boolean).join('\n');
}

/** Where lists show a conversation: those that wait by when they came, so that the next is found at once. */
export const groupOf = ({ state }: { readonly state: DeskState }): string => state;

/** An entry's value, as it is on the shelf. */
export type StoredHappening = Pick<JournalEntry, 'summary' | 'happening'>;
