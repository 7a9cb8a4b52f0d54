import { useEffect, useMemo, useState } from 'preact/hooks';
import type { DeskState, Summary } from '../../../api.js';
import { useAttempt, useDesk, useDeskState } from '../desk-context.js';
import { type State, withListed } from '../state.js';
import { t } from '../strings/index.js';
import { InboxItem } from './inbox-item.js';

const GROUPS: readonly DeskState[] = ['waiting', 'active', 'closed'];
const NONE = { waiting: 'noneWaiting', active: 'noneActive', closed: 'noneClosed' } as const;
/** Items drawn of a group; more only make the page slow. */
const DRAWN = 100;

const conversationsOf = ({ conversations }: State) => conversations;
const meOf = ({ me }: State) => me.id;

/** The list of conversations. */
export function Inbox({ shown }: { readonly shown: string | null }) {
  const conversations = useDeskState(conversationsOf);
  const me = useDeskState(meOf);
  const [search, setSearch] = useState('');
  const found = useSearch(search);
  const groups = useMemo(() => inGroups([...conversations.values()], me), [conversations, me]);

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
        <Found ids={found} conversations={conversations} shown={shown} me={me} />
      ) : (
        GROUPS.map((state) => <Group key={state} state={state} items={groups[state]} shown={shown} me={me} />)
      )}
    </aside>
  );
}

interface ItemsProps {
  readonly shown: string | null;
  readonly me: string;
}

function Group({
  state,
  items,
  shown,
  me,
}: ItemsProps & { readonly state: DeskState; readonly items: readonly Summary[] }) {
  const [drawn, setDrawn] = useState(DRAWN);
  const { client, store } = useDesk();
  const attempt = useAttempt();
  const last = items.at(-1);
  const showMore = async (): Promise<void> => {
    setDrawn((count) => count + DRAWN);
    if (state !== 'closed' || !last || items.length > drawn) return;
    await attempt(async () => {
      const { conversations } = await client.list({ state, before: last.requestedAt });
      store.update((now) => withListed(now, conversations));
    });
  };

  return (
    <section class={`group ${state}`}>
      <h2>
        {t(state)} {state !== 'closed' && <span class="count">{items.length}</span>}
      </h2>
      {items.length === 0 && <p class="hint">{t(NONE[state])}</p>}
      <ul>
        {items.slice(0, drawn).map((summary) => (
          <InboxItem key={summary.id} summary={summary} isShown={summary.id === shown} me={me} />
        ))}
      </ul>
      {(items.length > drawn || (state === 'closed' && items.length >= 50)) && (
        <button type="button" class="quiet" onClick={() => void showMore()}>
          {t('more')}
        </button>
      )}
    </section>
  );
}

function Found({
  ids,
  conversations,
  shown,
  me,
}: ItemsProps & { readonly ids: readonly string[]; readonly conversations: ReadonlyMap<string, Summary> }) {
  const items = ids.flatMap((id) => conversations.get(id) ?? []);
  if (items.length === 0) return <p class="hint">{t('noneFound')}</p>;
  return (
    <ul>
      {items.map((summary) => (
        <InboxItem key={summary.id} summary={summary} isShown={summary.id === shown} me={me} />
      ))}
    </ul>
  );
}

/** Those that wait by the time that is left, those that are active with own ones first, closed ones by their end. */
function inGroups(all: readonly Summary[], me: string): Readonly<Record<DeskState, readonly Summary[]>> {
  const of = (state: DeskState): Summary[] => all.filter((summary) => summary.state === state);
  const isMine = ({ agent }: Summary): number => (agent === me ? 0 : 1);
  const at = ({ last, requestedAt }: Summary): number => last?.at ?? requestedAt;
  return {
    waiting: of('waiting').sort((a, b) => a.requestedAt - b.requestedAt),
    active: of('active').sort((a, b) => isMine(a) - isMine(b) || at(b) - at(a)),
    closed: of('closed').sort((a, b) => b.requestedAt - a.requestedAt),
  };
}

/** The ids that the server finds; `null` while nothing is searched for. */
function useSearch(search: string): readonly string[] | null {
  const { client, store } = useDesk();
  const attempt = useAttempt();
  const [found, setFound] = useState<readonly string[] | null>(null);
  useEffect(() => {
    if (search.trim() === '') {
      setFound(null);
      return;
    }
    const timer = setTimeout(() => {
      void attempt(async () => {
        const { conversations } = await client.list({ search: search.trim() });
        store.update((state) => withListed(state, conversations));
        setFound(conversations.map(({ id }) => id));
      });
    }, 200);
    return () => clearTimeout(timer);
  }, [search]);
  return found;
}
