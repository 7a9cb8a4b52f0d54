import type {
  AgentView,
  CannedReply,
  ConversationView,
  JournalEntry,
  StateView,
  Summary,
} from '../../api.js';
import type { Connection } from './live.js';

/** Everything the page shows. */
export interface State {
  readonly me: AgentView;
  readonly agents: readonly AgentView[];
  /** By id: what is open, the newest of what is closed, and older ones while they are looked at. */
  readonly conversations: ReadonlyMap<string, Summary>;
  /** How many closed ones are kept: more when the agent asks for more. */
  readonly closedKept: number;
  /** The ids that a search found; `null` while nothing is searched for. */
  readonly found: readonly string[] | null;
  /** Conversations that were opened, with their entries. */
  readonly opened: ReadonlyMap<string, ConversationView>;
  /** What came live of late: what is read meanwhile may not have it yet. */
  readonly recent: readonly JournalEntry[];
  readonly canned: readonly CannedReply[];
  readonly connection: Connection;
  /** What the server's clock is ahead of this one, in milliseconds. */
  readonly clockAhead: number;
  readonly durable: boolean;
  readonly canTeach: boolean;
}

/** Far more than can come while one conversation is read. */
const MOST_RECENT = 1_000;

/** Conversations kept with their entries. */
const MOST_OPENED = 20;

/** Closed conversations in a page of the server's list: with fewer at the beginning, there are no more. */
export const CLOSED_PAGE = 50;

/** What the page begins with. */
export function firstState(view: StateView): State {
  const { me, agents, canned, durable, canTeach } = view;
  return {
    me,
    agents,
    conversations: new Map(view.conversations.map((summary) => [summary.id, summary])),
    closedKept: CLOSED_PAGE,
    found: null,
    opened: new Map(),
    recent: [],
    canned,
    connection: 'connecting',
    clockAhead: view.now - Date.now(),
    durable,
    canTeach,
  };
}

/** The state after an entry of the journal. One that is known already changes nothing. */
export function withEntry(state: State, entry: JournalEntry): State {
  const recent = [...state.recent.slice(-MOST_RECENT), entry];
  const next = withSummaries({ ...state, recent }, [entry.summary]);
  const view = state.opened.get(entry.summary.id);
  if (!view) return next;
  const opened = new Map(state.opened).set(view.summary.id, withLater(view, [entry]));
  return { ...next, opened };
}

/** The state with a conversation that was read whole; what came live while it was read belongs to it. */
export function withOpened(state: State, read: ConversationView): State {
  const view = withLater(
    read,
    state.recent.filter(({ summary }) => summary.id === read.summary.id),
  );
  return withSummaries({ ...state, opened: lastOpened(state.opened, view) }, [view.summary]);
}

/** Those that were opened last, this one at the end. An agent looks at hundreds a day; older ones are read anew. */
function lastOpened(
  opened: ReadonlyMap<string, ConversationView>,
  view: ConversationView,
): ReadonlyMap<string, ConversationView> {
  const others = [...opened].filter(([id]) => id !== view.summary.id).slice(1 - MOST_OPENED);
  return new Map([...others, [view.summary.id, view]]);
}

function withLater(view: ConversationView, entries: readonly JournalEntry[]): ConversationView {
  const last = view.entries.at(-1)?.seq ?? 0;
  const later = entries.filter(({ seq }) => seq > last);
  const summary = later.reduce((newest, entry) => newer(newest, entry.summary), view.summary);
  return later.length === 0 ? view : { ...view, summary, entries: [...view.entries, ...later] };
}

/** The state with what a search found, or without. */
export function withFound(state: State, found: readonly Summary[] | null): State {
  return withoutOld(withSummaries({ ...state, found: found?.map(({ id }) => id) ?? null }, found ?? []));
}

/** The state with room for so many closed conversations. */
export const withClosedKept = (state: State, closedKept: number): State =>
  withoutOld({ ...state, closedKept });

/** The state with earlier entries of a conversation. */
export function withEarlier(
  state: State,
  id: string,
  { entries, more }: { readonly entries: readonly JournalEntry[]; readonly more: boolean },
): State {
  const view = state.opened.get(id);
  if (!view) return state;
  const first = view.entries[0]?.seq ?? Number.MAX_SAFE_INTEGER;
  const earlier = entries.filter(({ seq }) => seq < first);
  const opened = new Map(state.opened).set(id, { ...view, more, entries: [...earlier, ...view.entries] });
  return { ...state, opened };
}

/** The state with these conversations, where they are newer than what is known. */
export function withSummaries(state: State, summaries: readonly Summary[]): State {
  const news = summaries.filter(({ id, version }) => {
    const known = state.conversations.get(id);
    return !known || known.version < version;
  });
  if (news.length === 0) return state;
  const conversations = new Map(state.conversations);
  for (const summary of news) conversations.set(summary.id, summary);
  const next = { ...state, conversations };
  return news.some(({ state: stands }) => stands === 'closed') ? withoutOld(next) : next;
}

/** A desk closes thousands a week. Older ones than are kept stay only while they are looked at; the server has them. */
function withoutOld(state: State): State {
  const old = closedOf(state)
    .slice(state.closedKept)
    .filter(({ id }) => !state.opened.has(id) && !state.found?.includes(id));
  if (old.length === 0) return state;
  const conversations = new Map(state.conversations);
  for (const { id } of old) conversations.delete(id);
  return { ...state, conversations };
}

/** Those that are closed, in the order of the server's list. */
export const closedOf = ({ conversations }: State): readonly Summary[] =>
  [...conversations.values()]
    .filter(({ state }) => state === 'closed')
    .sort((a, b) => b.requestedAt - a.requestedAt);

const newer = (a: Summary, b: Summary): Summary => (a.version >= b.version ? a : b);

/** How many messages of the customer an agent has not read. */
export const unreadOf = ({ customerMessages, read }: Summary, agentId: string): number =>
  customerMessages - (read[agentId] ?? 0);

/** Whether an entry names an agent that the page does not know yet. */
export function hasStranger({ agents }: State, { happening, summary }: JournalEntry): boolean {
  const named = [
    summary.agent,
    'agent' in happening ? happening.agent : null,
    happening.type === 'transferred' ? happening.to : null,
  ];
  return named.some((id) => id !== null && !agents.some((agent) => agent.id === id));
}
