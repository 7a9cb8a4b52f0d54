import { useState } from 'preact/hooks';
import type { DeskState } from '../../../api.js';
import { useAttempt, useDesk, useDeskState } from '../desk-context.js';
import { CLOSED_PAGE, type State, withClosedKept, withSummaries } from '../state.js';
import { t } from '../strings/index.js';
import { InboxItem } from './inbox-item.js';

const NONE = { waiting: 'noneWaiting', active: 'noneActive', closed: 'noneClosed' } as const;
/** Items drawn of a group; more only make the page slow. */
const DRAWN = 100;

interface GroupProps {
  readonly ids: readonly string[];
  readonly shown: string | null;
}

/** Those that wait, or are active: the page knows them all, and draws some. */
export function OpenGroup({ state, ids, shown }: GroupProps & { readonly state: 'waiting' | 'active' }) {
  const [drawn, setDrawn] = useState(DRAWN);
  return (
    <Group
      state={state}
      ids={ids.slice(0, drawn)}
      shown={shown}
      count={ids.length}
      showMore={ids.length > drawn ? () => setDrawn(drawn + DRAWN) : null}
    />
  );
}

const closedKeptOf = ({ closedKept }: State) => closedKept;

/** Those that are closed: the page knows the newest, and asks for more. */
export function ClosedGroup({ ids, shown }: GroupProps) {
  const { client, store } = useDesk();
  const attempt = useAttempt();
  const kept = useDeskState(closedKeptOf);
  const [isAsking, setAsking] = useState(false);
  const showMore = async (): Promise<void> => {
    // Behind the last of the newest there may be older ones that are only looked at.
    const last = store.get().conversations.get(ids[kept - 1] ?? '');
    if (isAsking || !last) return;
    setAsking(true);
    // The room is made first: what closes meanwhile must not push out those that the next ones follow.
    store.update((state) => withClosedKept(state, kept + CLOSED_PAGE));
    const isRead = await attempt(async () => {
      const { conversations } = await client.list({ state: 'closed', before: last.requestedAt });
      store.update((state) => withSummaries(state, conversations));
    });
    if (!isRead) store.update((state) => withClosedKept(state, kept));
    setAsking(false);
  };

  return (
    <Group
      state="closed"
      ids={ids}
      shown={shown}
      count={null}
      showMore={isAsking || ids.length >= kept ? () => void showMore() : null}
    />
  );
}

function Group({
  state,
  ids,
  shown,
  count,
  showMore,
}: GroupProps & {
  readonly state: DeskState;
  readonly count: number | null;
  readonly showMore: (() => void) | null;
}) {
  return (
    <section class={`group ${state}`}>
      <h2>
        {t(state)} {count !== null && <span class="count">{count}</span>}
      </h2>
      {ids.length === 0 && <p class="hint">{t(NONE[state])}</p>}
      <ul>
        {ids.map((id) => (
          <InboxItem key={id} id={id} isShown={id === shown} />
        ))}
      </ul>
      {showMore && (
        <button type="button" class="quiet" onClick={showMore}>
          {t('more')}
        </button>
      )}
    </section>
  );
}
