import type { Conversation, ConversationFilter, ConversationState } from '../handoff/index.js';

/** Writes a conversation as JSON. Any text survives it, also NUL and half a surrogate pair. */
export const storeConversation = (conversation: Conversation): string => JSON.stringify(conversation);

/** Reads what {@link storeConversation} wrote. */
export function restoreConversation(content: unknown): Conversation {
  const stored = JSON.parse(String(content)) as Conversation;
  const { closure } = stored;
  return {
    ...stored,
    requestedAt: new Date(stored.requestedAt),
    replyBy: new Date(stored.replyBy),
    firstReplyAt: stored.firstReplyAt && new Date(stored.firstReplyAt),
    changedAt: new Date(stored.changedAt),
    closure: closure && { ...closure, at: new Date(closure.at) },
  };
}

const ALL_STATES: readonly ConversationState[] = [
  'requested',
  'waiting',
  'connected',
  'closing',
  'closed',
  'failed',
];

/** How an engine writes what a list is asked for. */
export interface ListWriting {
  readonly table: string;
  /** Adds a value to the statement; gives what stands for it. */
  readonly value: (value: string | number) => string;
  /** How the engine's columns hold the key of a user, and the id of a conversation. */
  readonly userKey: (key: string) => string;
  readonly lane: (id: string) => string;
}

/**
 * The statement of a list. Each state is read in the order of its own index, and what was read is put together
 * then: one condition for several states would sort all there are. A user has few, so theirs are read at once.
 */
export function listStatement(
  filter: ConversationFilter,
  { table, value, userKey, lane }: ListWriting,
): string {
  const { states = ALL_STATES, adapter, changedBefore, after, limit = 100 } = filter;
  const text = (of: string | undefined, condition: (placed: string) => string): string[] =>
    of === undefined ? [] : [condition(value(of))];

  const part = (which: string): string => {
    const conditions = [
      which,
      ...text(adapter, (placed) => `adapter = ${placed}`),
      ...(changedBefore ? [`changed_at < ${value(changedBefore.getTime())}`] : []),
      ...(after
        ? [`(changed_at, lane) < (${value(after.changedAt.getTime())}, ${value(lane(after.id))})`]
        : []),
    ];
    return `SELECT content, changed_at, lane FROM ${table} WHERE ${conditions.join(' AND ')}
      ORDER BY changed_at DESC, lane DESC LIMIT ${value(limit)}`;
  };

  const inStates = `state IN (${states.map((state) => `'${state}'`).join(', ')})`;
  const parts =
    filter.userKey === undefined
      ? states.map((state) => part(`state = '${state}'`))
      : [part(`user_key = ${value(userKey(filter.userKey))} AND ${inStates}`)];
  const together = parts.map((each, index) => `SELECT * FROM (${each}) AS part_${index}`).join(' UNION ALL ');
  return `SELECT content FROM (${together}) AS parts ORDER BY changed_at DESC, lane DESC LIMIT ${value(limit)}`;
}
