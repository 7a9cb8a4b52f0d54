import { useEffect, useState } from 'preact/hooks';
import type { ConversationSummary } from '../../../api.js';
import { useAttempt, useDesk, useDeskState } from '../desk-context.js';
import { closedOf, isListed, type State, withAiAgent, withFound } from '../state.js';
import { t } from '../strings/index.js';
import { ClosedGroup, OpenGroup } from './inbox-group.js';
import { InboxItem } from './inbox-item.js';

const foundOf = ({ found }: State) => found;

/** The list of conversations. */
export function Inbox({ shown }: { readonly shown: string | null }) {
  const [search, setSearch] = useState('');
  useSearch(search);
  const found = useDeskState(foundOf);
  const { mine, waiting, active, closed } = useDeskState(groupsOf, isSameGroups);

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
      <AiAgentFilter />
      {found ? (
        <SearchResults ids={found} shown={shown} />
      ) : (
        <>
          {mine.length > 0 && <OpenGroup state="active" isMine ids={mine} shown={shown} />}
          <OpenGroup state="waiting" ids={waiting} shown={shown} />
          {(active.length > 0 || mine.length === 0) && (
            <OpenGroup state="active" ids={active} shown={shown} />
          )}
          <ClosedGroup ids={closed} shown={shown} />
        </>
      )}
    </aside>
  );
}

const aiAgentsOf = ({ aiAgents }: State) => aiAgents;
const aiAgentOf = ({ aiAgent }: State) => aiAgent;

/** Chooses the platform's agent whose conversations are listed, where there is more than one. */
function AiAgentFilter() {
  const { store } = useDesk();
  const aiAgents = useDeskState(aiAgentsOf);
  const chosen = useDeskState(aiAgentOf);
  if (aiAgents.length < 2) return null;
  return (
    <select
      data-key="ai-agent"
      aria-label={t('aiAgent')}
      value={chosen ?? ''}
      onChange={({ currentTarget }) => {
        const name = currentTarget.value;
        store.update((state) => withAiAgent(state, name === '' ? null : name));
      }}
    >
      <option value="">{t('allAiAgents')}</option>
      {aiAgents.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  );
}

function SearchResults({ ids, shown }: { readonly ids: readonly string[]; readonly shown: string | null }) {
  if (ids.length === 0) return <p class="hint">{t('noneFound')}</p>;
  return (
    <ul>
      {ids.map((id) => (
        <InboxItem key={id} id={id} isShown={id === shown} />
      ))}
    </ul>
  );
}

interface Groups {
  readonly mine: readonly string[];
  readonly waiting: readonly string[];
  readonly active: readonly string[];
  readonly closed: readonly string[];
}

const idOf = ({ id }: ConversationSummary): string => id;

/**
 * Own ones first, however many wait; waiting ones oldest first, the others newest first. The closed ones are of all of the
 * platform's agents, since the server's list is: an item that is not to be listed renders nothing.
 */
function groupsOf(state: State): Groups {
  const { me, conversations } = state;
  const all = [...conversations.values()].filter((summary) => isListed(state, summary));
  const at = ({ last, requestedAt }: ConversationSummary): number => last?.at ?? requestedAt;
  const active = all.filter((each) => each.state === 'active').sort((a, b) => at(b) - at(a));
  return {
    mine: active.filter(({ agent }) => agent === me.id).map(idOf),
    waiting: all
      .filter((each) => each.state === 'waiting')
      .sort((a, b) => a.requestedAt - b.requestedAt)
      .map(idOf),
    active: active.filter(({ agent }) => agent !== me.id).map(idOf),
    closed: closedOf(state).map(idOf),
  };
}

const isSameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((id, index) => id === b[index]);

const isSameGroups = (a: Groups, b: Groups): boolean =>
  isSameList(a.mine, b.mine) &&
  isSameList(a.waiting, b.waiting) &&
  isSameList(a.active, b.active) &&
  isSameList(a.closed, b.closed);

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
        const { conversations } = await client.list({ search: search.trim() });
        if (!isOutdated) store.update((state) => withFound(state, conversations));
      });
    }, 200);
    return () => {
      isOutdated = true;
      clearTimeout(timer);
    };
  }, [search]);
}
