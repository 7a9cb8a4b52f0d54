import { useCallback, useEffect, useState } from 'preact/hooks';
import type { InboxViewName } from '../../../api.js';
import { useAttempt, useDesk, useDeskState } from '../desk-context.js';
import { Icon, type IconName } from '../shared/icon.js';
import { type Filter, NO_FILTER, type State, unreadMentionsOf, withFilter, withFound } from '../state.js';
import { t } from '../strings/index.js';
import { BulkBar } from './bulk-bar.js';
import { FilterBar, isSameFilter, partsOf } from './filter-bar.js';
import { ClosedGroup, OpenGroup } from './inbox-group.js';
import { groupsOf, type InboxGroups, isSameGroups } from './inbox-groups.js';
import { InboxItem } from './inbox-item.js';

const foundOf = ({ found }: State) => found;
const viewOf = ({ filter }: State) => filter.view;

/** How often deadlines and snoozes are checked, without any update. */
const TICK_MS = 5_000;

/** The views, and the list of the chosen one or of a search. */
export function Inbox({ shown }: { readonly shown: string | null }) {
  const [search, setSearch] = useState('');
  useSearch(search);
  const found = useDeskState(foundOf);
  const view = useDeskState(viewOf);
  const groups = useGroups();

  return (
    <>
      <Views groups={groups} leaveSearch={() => setSearch('')} />
      <aside class="pane inbox" aria-label={t('inbox')}>
        <div class="list-head">
          <label class="search">
            <Icon name="search" />
            <input
              type="search"
              data-key="search"
              placeholder={t('search')}
              aria-label={t('searchHint')}
              title={t('searchHint')}
              value={search}
              onInput={({ currentTarget }) => setSearch(currentTarget.value)}
            />
          </label>
          {!found && <FilterBar />}
          <BulkBar />
        </div>
        <div class="list">
          {found ? (
            <SearchResults ids={found.ids} shown={shown} />
          ) : (
            <Groups view={view} groups={groups} shown={shown} />
          )}
        </div>
      </aside>
    </>
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

const savedOf = ({ savedFilters }: State) => savedFilters;
const filterOf = ({ filter }: State) => filter;
const isSearchingIn = ({ found }: State) => found !== null;

/** Chooses a view or a saved filter; views show how many conversations they have. */
function Views({
  groups: { mine, snoozed, waiting, active, teams, mentions },
  leaveSearch,
}: {
  readonly groups: InboxGroups;
  readonly leaveSearch: () => void;
}) {
  const { store } = useDesk();
  const filter = useDeskState(filterOf);
  const saved = useDeskState(savedOf);
  const isInTeam = useDeskState(hasTeams);
  const unreadMentions = useDeskState(unreadMentionsIn);
  const isSearching = useDeskState(isSearchingIn);
  const current = saved.find((each) => isSameFilter(each, filter));
  const choose = (part: Partial<Filter>): void => {
    leaveSearch();
    store.update((state) => withFilter(state, part));
  };
  const all = mine.length + waiting.length + active.length + snoozed.length;
  const views: readonly ViewProps[] = [
    { name: 'all', icon: 'inbox', label: t('viewAll'), count: all },
    { name: 'mine', icon: 'user', label: t('groupMine'), count: mine.length },
    { name: 'unassigned', icon: 'hand', label: t('viewUnassigned'), count: waiting.length },
    ...(isInTeam || filter.view === 'teams'
      ? [{ name: 'teams', icon: 'users', label: t('viewTeams'), count: teams.length } as const]
      : []),
    ...(mentions.length > 0 || filter.view === 'mentions'
      ? [{ name: 'mentions', icon: 'at-sign', label: t('viewMentions'), count: unreadMentions } as const]
      : []),
    { name: 'closed', icon: 'circle-check', label: t('closed'), count: 0 },
  ];
  return (
    <nav class="views" aria-label={t('views')}>
      {views.map(({ name, icon, label, count }) => (
        <button
          type="button"
          key={name}
          aria-pressed={name === filter.view && !current && !isSearching}
          onClick={() => choose(current ? { ...NO_FILTER, view: name } : { view: name })}
        >
          <Icon name={icon} />
          <span>{label}</span> {count > 0 && <span class="count">{count}</span>}
        </button>
      ))}
      {saved.map((each) => (
        <button
          type="button"
          key={each.id}
          dir="auto"
          aria-pressed={each === current && !isSearching}
          onClick={() => choose(each === current ? NO_FILTER : partsOf(each))}
        >
          <Icon name="bookmark" />
          <span>{each.name}</span>
        </button>
      ))}
    </nav>
  );
}

interface ViewProps {
  readonly name: InboxViewName;
  readonly icon: IconName;
  readonly label: string;
  readonly count: number;
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
