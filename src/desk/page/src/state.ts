import type {
  AgentView,
  AvailabilityView,
  CannedList,
  ConversationListView,
  ConversationSummary,
  ConversationUpdate,
  ConversationView,
  DeskSignal,
  PlatformStatus,
  PresenceView,
  SavedFilter,
  StateView,
  TeamView,
} from '../../api.js';
import type { Connection } from './updates/live-updates.js';

export interface State {
  readonly me: AgentView;
  /** What the agent may do. */
  readonly may: StateView['may'];
  readonly agents: readonly AgentView[];
  readonly teams: readonly TeamView[];
  /** The names of the bots. */
  readonly bots: readonly string[];
  /** Which conversations are listed. */
  readonly filter: Filter;
  /** The conversations that the agent has selected; `null` while none can be selected. */
  readonly selected: ReadonlySet<string> | null;
  /** The filters that the agent has saved. */
  readonly savedFilters: readonly SavedFilter[];
  /** By id: all open ones, the newest closed ones, and older ones that are on screen. */
  readonly conversations: ReadonlyMap<string, ConversationSummary>;
  /** The number of closed ones kept; grows when the agent asks for more. */
  readonly closedLimit: number;
  /** What a search found; `null` without a search. */
  readonly found: Found | null;
  /** Opened conversations with their entries. */
  readonly opened: ReadonlyMap<string, ConversationView>;
  /** The latest live updates, to be added to a conversation that is being loaded. */
  readonly recent: readonly ConversationUpdate[];
  readonly canned: CannedList;
  readonly connection: Connection;
  /** Whether the agent will be logged out soon, for lack of activity. */
  readonly isIdle: boolean;
  /** Whether replies reach the platform. */
  readonly platform: PlatformStatus;
  /** The conversation that each agent is viewing. */
  readonly presence: readonly PresenceView[];
  /** The agents who have the desk open, and whether they are away. */
  readonly availability: readonly AvailabilityView[];
  /** How far the server's clock is ahead, in milliseconds. */
  readonly clockAhead: number;
  readonly durable: boolean;
  readonly hasPlatform: boolean;
  readonly canTeach: boolean;
  readonly canAssist: boolean;
}

/** Which conversations are listed. Parts that are `null` select everything. */
export type Filter = Omit<SavedFilter, 'id' | 'name'>;

/** The filter of a page that was just opened. */
export const NO_FILTER: Filter = { view: 'all', bot: null, tag: null, priority: null };

export interface Found {
  readonly ids: readonly string[];
  /** The part of a message that was found, by id of the conversation. */
  readonly snippets: Readonly<Record<string, string>>;
}

/** Far more updates than arrive while a conversation is loading. */
const MAX_RECENT = 1_000;

/** Conversations kept with their entries. Older ones are loaded again. */
const MAX_OPENED = 20;

/** Closed conversations per page of the server's list. */
export const CLOSED_PAGE = 50;

export function initialState(view: StateView): State {
  const { me, may, agents, teams, bots, canned, durable, hasPlatform, canTeach, canAssist } = view;
  return {
    me,
    may,
    agents,
    teams,
    bots,
    filter: NO_FILTER,
    selected: null,
    savedFilters: view.filters,
    conversations: new Map(view.conversations.map((summary) => [summary.id, summary])),
    closedLimit: CLOSED_PAGE,
    found: null,
    opened: new Map(),
    recent: [],
    canned,
    connection: 'connecting',
    isIdle: false,
    platform: { delayed: 0, isRefused: false },
    presence: [],
    availability: [],
    clockAhead: view.now - Date.now(),
    durable,
    hasPlatform,
    canTeach,
    canAssist,
  };
}

/** Applies live updates, in their order. An update that was applied before changes nothing. */
export function withUpdates(state: State, entries: readonly ConversationUpdate[]): State {
  const recent = [...state.recent, ...entries].slice(-MAX_RECENT);
  const summaries = entries.map(({ summary }) => summary);
  const next = withSummaries({ ...state, recent }, summaries);
  const ids = new Set(summaries.map(({ id }) => id).filter((id) => state.opened.has(id)));
  if (ids.size === 0) return next;
  const opened = [...state.opened].map(([id, view]): [string, ConversationView] => [
    id,
    ids.has(id) ? withLater(view, entriesOf(entries, id)) : view,
  ]);
  return { ...next, opened: new Map(opened) };
}

const entriesOf = (entries: readonly ConversationUpdate[], id: string): readonly ConversationUpdate[] =>
  entries.filter(({ summary }) => summary.id === id);

export const withSignal = (state: State, { platform, presence, availability }: DeskSignal): State => ({
  ...state,
  platform,
  presence,
  availability,
});

/** Adds a loaded conversation, with the updates that arrived while it was loading. */
export function withOpened(state: State, loaded: ConversationView): State {
  const view = withLater(loaded, entriesOf(state.recent, loaded.summary.id));
  return withSummaries({ ...state, opened: lastOpened(state.opened, view) }, [view.summary]);
}

/** The conversations that were opened last, this one at the end. */
function lastOpened(
  opened: ReadonlyMap<string, ConversationView>,
  view: ConversationView,
): ReadonlyMap<string, ConversationView> {
  const others = [...opened].filter(([id]) => id !== view.summary.id).slice(1 - MAX_OPENED);
  return new Map([...others, [view.summary.id, view]]);
}

function withLater(view: ConversationView, entries: readonly ConversationUpdate[]): ConversationView {
  const last = view.entries.at(-1)?.seq ?? 0;
  const later = entries.filter(({ seq }) => seq > last);
  const summary = later.reduce((newest, entry) => newerOf(newest, entry.summary), view.summary);
  return later.length === 0 ? view : { ...view, summary, entries: [...view.entries, ...later] };
}

/** Sets the result of a search; `null` clears it. */
export function withFound(state: State, view: ConversationListView | null): State {
  const found = view && { ids: view.conversations.map(({ id }) => id), snippets: view.snippets ?? {} };
  const selected = state.selected && new Set<string>();
  return withoutOldClosed(withSummaries({ ...state, found, selected }, view?.conversations ?? []));
}

/** Sets the number of closed conversations to keep. */
export const withClosedLimit = (state: State, closedLimit: number): State =>
  withoutOldClosed({ ...state, closedLimit });

/** Changes which conversations are listed. A conversation that is no longer listed must not stay selected unseen. */
export const withFilter = (state: State, change: Partial<Filter>): State => ({
  ...state,
  filter: { ...state.filter, ...change },
  selected: state.selected && new Set(),
});

/** Sets the selection; `null` turns selecting off. */
export const withSelected = (state: State, selected: Iterable<string> | null): State => ({
  ...state,
  selected: selected && new Set(selected),
});

/** Selects a conversation, or takes it out of the selection. */
export function withToggled(state: State, id: string): State {
  const before = [...(state.selected ?? [])];
  return withSelected(state, before.includes(id) ? before.filter((each) => each !== id) : [...before, id]);
}

/** Whether the filter lets a conversation through, whatever the view. */
export const isListed = ({ filter }: State, summary: ConversationSummary): boolean =>
  (filter.bot === null || summary.bot === filter.bot) &&
  (filter.tag === null || summary.tags.includes(filter.tag)) &&
  (filter.priority === null || summary.priority === filter.priority);

/** Adds earlier entries of a conversation. */
export function withEarlier(
  state: State,
  id: string,
  { entries, more }: { readonly entries: readonly ConversationUpdate[]; readonly more: boolean },
): State {
  const view = state.opened.get(id);
  if (!view) return state;
  const first = view.entries[0]?.seq ?? Number.MAX_SAFE_INTEGER;
  const earlier = entries.filter(({ seq }) => seq < first);
  const opened = new Map(state.opened).set(id, { ...view, more, entries: [...earlier, ...view.entries] });
  return { ...state, opened };
}

/** Adds conversations, unless a newer version is known. */
export function withSummaries(state: State, summaries: readonly ConversationSummary[]): State {
  const newer = summaries.filter(({ id, version }) => {
    const known = state.conversations.get(id);
    return !known || known.version < version;
  });
  if (newer.length === 0) return state;
  const conversations = new Map(state.conversations);
  for (const summary of newer)
    conversations.set(summary.id, newerOf(summary, conversations.get(summary.id) ?? summary));
  const next = { ...state, conversations };
  return newer.some(({ state: status }) => status === 'closed') ? withoutOldClosed(next) : next;
}

/** Drops closed conversations beyond the limit, unless they are on screen. */
function withoutOldClosed(state: State): State {
  const old = closedOf(state)
    .slice(state.closedLimit)
    .filter(
      ({ id, mentions }) => !state.opened.has(id) && !state.found?.ids.includes(id) && !mentions[state.me.id],
    );
  if (old.length === 0) return state;
  const conversations = new Map(state.conversations);
  for (const { id } of old) conversations.delete(id);
  return { ...state, conversations };
}

/** The closed conversations, in the order of the server's list. */
export const closedOf = ({ conversations }: State): readonly ConversationSummary[] =>
  [...conversations.values()]
    .filter(({ state }) => state === 'closed')
    .sort((a, b) => b.requestedAt - a.requestedAt || (a.id < b.id ? -1 : 1));

const newerOf = (a: ConversationSummary, b: ConversationSummary): ConversationSummary =>
  a.version >= b.version ? a : b;

/** The number of customer messages that an agent has not read. */
export const unreadOf = ({ customerMessages, read }: ConversationSummary, agentId: string): number =>
  customerMessages - (read[agentId] ?? 0);

/** The number of notes that mention an agent and that the agent has not read. */
export function unreadMentionsOf({ mentions }: ConversationSummary, agentId: string): number {
  const { count, read } = mentions[agentId] ?? { count: 0, read: 0 };
  return count - read;
}

/** Whether a conversation is for a team of the agent. */
export const isOfMyTeams = ({ teams, me }: State, { team }: ConversationSummary): boolean =>
  team !== null && teams.some(({ id, members }) => id === team && members.includes(me.id));

/** Whether rules have assigned a conversation to an agent who has not replied yet. */
export const isOfferedTo = ({ offer, agent, state }: ConversationSummary, agentId: string): boolean =>
  offer !== null && agent === agentId && state === 'active';

/** Whether an update names an agent or a team that the page does not know yet. */
export function hasUnknownAgent({ agents, teams }: State, { event, summary }: ConversationUpdate): boolean {
  const isUnknownTeam = summary.team !== null && !teams.some(({ id }) => id === summary.team);
  if (isUnknownTeam && (event.type === 'opened' || event.type === 'passed')) return true;
  const named = [
    summary.agent,
    'agent' in event ? event.agent : null,
    event.type === 'transferred' ? event.to : null,
  ];
  return named.some((id) => id !== null && !agents.some((agent) => agent.id === id));
}

/** Whether an agent is present whom the page does not know yet. */
export const hasUnknownPresence = ({ agents }: State, { presence, availability }: DeskSignal): boolean =>
  [...presence, ...availability].some((each) => !agents.some(({ id }) => id === each.agent));
