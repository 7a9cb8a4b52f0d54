import { useState } from 'preact/hooks';
import type { ConversationStatus } from '../../../api.js';
import { useAttempt, useDesk, useDeskState } from '../desk-context.js';
import { CLOSED_PAGE, type State, withClosedLimit, withSummaries } from '../state.js';
import { t } from '../strings/index.js';
import { InboxItem } from './inbox-item.js';

const NONE = { waiting: 'noneWaiting', active: 'noneActive', closed: 'noneClosed' } as const;
/** Items rendered per group at first, to keep the page fast. */
const RENDERED = 100;

interface GroupProps {
  readonly ids: readonly string[];
  readonly shown: string | null;
}

/** Waiting or active conversations. The page has all of them and renders some. */
export function OpenGroup({
  state,
  title,
  kind = '',
  ids,
  shown,
}: GroupProps & {
  readonly state: 'waiting' | 'active';
  readonly title: string;
  readonly kind?: 'mine' | 'snoozed' | 'teams' | 'mentions' | '';
}) {
  const [rendered, setRendered] = useState(RENDERED);
  return (
    <Group
      state={state}
      title={title}
      kind={kind}
      ids={ids.slice(0, rendered)}
      shown={shown}
      count={ids.length}
      showMore={ids.length > rendered ? () => setRendered(rendered + RENDERED) : null}
    />
  );
}

const closedLimitOf = ({ closedLimit }: State) => closedLimit;

/** Closed conversations. The page has the newest and loads more on request. */
export function ClosedGroup({ ids, shown }: GroupProps) {
  const { client, store } = useDesk();
  const attempt = useAttempt();
  const limit = useDeskState(closedLimitOf);
  const [isLoading, setLoading] = useState(false);
  const showMore = async (): Promise<void> => {
    // Beyond the limit there may be older ones that are on screen; the next page starts after the limit.
    const last = store.get().conversations.get(ids[limit - 1] ?? '');
    if (isLoading || !last) return;
    setLoading(true);
    // The limit is raised first, so that newly closed conversations do not push out the last one.
    store.update((state) => withClosedLimit(state, limit + CLOSED_PAGE));
    const isLoaded = await attempt(async () => {
      const { conversations } = await client.list({ state: 'closed', after: last });
      store.update((state) => withSummaries(state, conversations));
    });
    if (!isLoaded) store.update((state) => withClosedLimit(state, limit));
    setLoading(false);
  };

  return (
    <Group
      state="closed"
      title={t('closed')}
      kind=""
      ids={ids}
      shown={shown}
      count={null}
      showMore={isLoading || ids.length >= limit ? () => void showMore() : null}
    />
  );
}

function Group({
  state,
  title,
  kind,
  ids,
  shown,
  count,
  showMore,
}: GroupProps & {
  readonly state: ConversationStatus;
  readonly title: string;
  readonly kind: string;
  readonly count: number | null;
  readonly showMore: (() => void) | null;
}) {
  return (
    <section class={`group ${state} ${kind}`}>
      <h2>
        {title} {count !== null && <span class="count">{count}</span>}
      </h2>
      {ids.length === 0 && <p class="hint">{t(NONE[state])}</p>}
      <ul>
        {ids.map((id) => (
          <InboxItem key={id} id={id} isShown={id === shown} hidesMe={kind === 'mine'} />
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
