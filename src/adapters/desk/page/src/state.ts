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
  /** By id: what is open, what closed last, and what was looked at. */
  readonly conversations: ReadonlyMap<string, Summary>;
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

/** What the page begins with. */
export function firstState(view: StateView): State {
  const { me, agents, canned, durable, canTeach } = view;
  return {
    me,
    agents,
    conversations: new Map(view.conversations.map((summary) => [summary.id, summary])),
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
  const conversations = withSummary(state.conversations, entry.summary);
  const recent = [...state.recent.slice(-MOST_RECENT), entry];
  const view = state.opened.get(entry.summary.id);
  if (!view) return { ...state, conversations, recent };
  const opened = new Map(state.opened).set(view.summary.id, withLater(view, [entry]));
  return { ...state, conversations, recent, opened };
}

/** The state with a conversation that was read whole; what came live while it was read belongs to it. */
export function withOpened(state: State, read: ConversationView): State {
  const view = withLater(
    read,
    state.recent.filter(({ summary }) => summary.id === read.summary.id),
  );
  return {
    ...state,
    conversations: withSummary(state.conversations, view.summary),
    opened: lastOpened(state.opened, view),
  };
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

/** The state with conversations of a list. */
export function withListed(state: State, summaries: readonly Summary[]): State {
  const conversations = summaries.reduce(withSummary, state.conversations);
  return { ...state, conversations };
}

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

function withSummary(known: ReadonlyMap<string, Summary>, summary: Summary): ReadonlyMap<string, Summary> {
  const before = known.get(summary.id);
  if (before && before.version >= summary.version) return known;
  return new Map(known).set(summary.id, summary);
}

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
