import { useCallback, useEffect, useState } from 'preact/hooks';
import type { InboxViewName } from '../../../api.js';
import { useAttempt, useDesk, useDeskState } from '../desk-context.js';
import { type State, unreadMentionsOf, withFilter, withFound } from '../state.js';
import { t } from '../strings/index.js';
import { BulkBar } from './bulk-bar.js';
import { FilterBar } from './filter-bar.js';
import { ClosedGroup, OpenGroup } from './inbox-group.js';
import { groupsOf, type InboxGroups, isSameGroups } from './inbox-groups.js';
import { InboxItem } from './inbox-item.js';

const foundOf = ({ found }: State) => found;
const viewOf = ({ filter }: State) => filter.view;

/** How often deadlines and snoozes are checked, without any update. */
const TICK_MS = 5_000;

export function Inbox({ shown }: { readonly shown: string | null }) {
  const [search, setSearch] = useState('');
  useSearch(search);
  const found = useDeskState(foundOf);
  const view = useDeskState(viewOf);
  const groups = useGroups();

  return (
    <aside class="pane inbox" aria-label={t('inbox')}>
      <input
        type="search"
        data-key="search"
        placeholder={t('search')}
        aria-label={t('search')}
        value={search}
        onInput={({ currentTarget }) => setSearch(currentTarget.value)}
      />
      {found ? (
        <>
          <BulkBar />
          <SearchResults ids={found.ids} shown={shown} />
        </>
      ) : (
        <>
          <Views groups={groups} />
          <FilterBar />
          <BulkBar />
          <Groups view={view} groups={groups} shown={shown} />
        </>
      )}
    </aside>
  );
}

function Groups({
  view,
  groups: { mine, snoozed, waiting, active, closed, teams, mentions },
  shown,
}: {
  readonly view: InboxViewName;
  readonly groups: InboxGroups;
  readonly shown: string | null;
}) {
  if (view === 'closed') return <ClosedGroup ids={closed} shown={shown} />;
  if (view === 'teams') {
    return <OpenGroup state="active" title={t('viewTeams')} kind="teams" ids={teams} shown={shown} />;
  }
  if (view === 'mentions') {
    return (
      <OpenGroup state="active" title={t('viewMentions')} kind="mentions" ids={mentions} shown={shown} />
    );
  }
  const isAll = view === 'all';
  return (
    <>
      {(view === 'mine' || (isAll && mine.length > 0)) && (
        <OpenGroup state="active" title={t('groupMine')} kind="mine" ids={mine} shown={shown} />
      )}
      {(isAll || view === 'unassigned') && (
        <OpenGroup state="waiting" title={t('waiting')} ids={waiting} shown={shown} />
      )}
      {isAll && (active.length > 0 || mine.length === 0) && (
        <OpenGroup state="active" title={t('active')} ids={active} shown={shown} />
      )}
      {view !== 'unassigned' && snoozed.length > 0 && (
        <OpenGroup state="active" title={t('snoozed')} kind="snoozed" ids={snoozed} shown={shown} />
      )}
    </>
  );
}

const hasTeams = ({ teams, me }: State) => teams.some(({ members }) => members.includes(me.id));
const unreadMentionsIn = ({ conversations, me }: State) =>
  [...conversations.values()].filter((summary) => unreadMentionsOf(summary, me.id) > 0).length;
const closedCountOf = ({ closedCount }: State) => closedCount;

/** Chooses a view; each shows how many conversations it has. */
function Views({
  groups: { mine, snoozed, waiting, active, teams, mentions },
}: {
  readonly groups: InboxGroups;
}) {
  const { store } = useDesk();
  const chosen = useDeskState(viewOf);
  const closed = useDeskState(closedCountOf);
  const isInTeam = useDeskState(hasTeams);
  const unreadMentions = useDeskState(unreadMentionsIn);
  const views: readonly (readonly [InboxViewName, string, number])[] = [
    ['all', t('viewAll'), mine.length + waiting.length + active.length + snoozed.length],
    ['mine', t('groupMine'), mine.length],
    ...(isInTeam || chosen === 'teams' ? ([['teams', t('viewTeams'), teams.length]] as const) : []),
    ...(mentions.length > 0 || chosen === 'mentions'
      ? ([['mentions', t('viewMentions'), unreadMentions]] as const)
      : []),
    ['unassigned', t('viewUnassigned'), waiting.length],
    ['closed', t('closed'), closed],
  ];
  return (
    <nav class="views" aria-label={t('views')}>
      {views.map(([name, label, count]) => (
        <button
          type="button"
          key={name}
          aria-pressed={name === chosen}
          onClick={() => store.update((state) => withFilter(state, { view: name }))}
        >
          {label} <span class="count">{count}</span>
        </button>
      ))}
    </nav>
  );
}

function SearchResults({ ids, shown }: { readonly ids: readonly string[]; readonly shown: string | null }) {
  if (ids.length === 0) return <p class="hint">{t('noneFound')}</p>;
  return (
    <ul class="found">
      {ids.map((id) => (
        <InboxItem key={id} id={id} isShown={id === shown} />
      ))}
    </ul>
  );
}

/** The groups, which also change as time passes. */
function useGroups(): InboxGroups {
  const [tick, setTick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTick((last) => last + 1), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return useDeskState(
    useCallback((state: State) => groupsOf(state, Date.now() + state.clockAhead), [tick]),
    isSameGroups,
  );
}

/** Searches on the server and stores the result in the state. */
function useSearch(search: string): void {
  const { client, store } = useDesk();
  const attempt = useAttempt();
  useEffect(() => {
    if (search.trim() === '') {
      store.update((state) => withFound(state, null));
      return;
    }
    let isOutdated = false;
    const timer = setTimeout(() => {
      void attempt(async () => {
        const found = await client.list({ search: search.trim() });
        if (!isOutdated) store.update((state) => withFound(state, found));
      });
    }, 200);
    return () => {
      isOutdated = true;
      clearTimeout(timer);
    };
  }, [search]);
}
