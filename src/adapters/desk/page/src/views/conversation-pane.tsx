import { useCallback, useEffect, useState } from 'preact/hooks';
import type { ConversationView } from '../../../api.js';
import { useAttempt, useDesk, useDeskState } from '../desk-context.js';
import { type State, unreadOf, withEarlier, withOpened } from '../state.js';
import { t } from '../strings/index.js';
import { Composer } from './composer.js';
import { ConversationHeader } from './conversation-header.js';
import { CustomerDetails } from './customer-details.js';
import { Timeline } from './timeline.js';
import { Transcript } from './transcript.js';

const meOf = ({ me }: State) => me;

/** One conversation: transcript, timeline, customer details and composer. */
export function ConversationPane({ id }: { readonly id: string }) {
  const { client, store } = useDesk();
  const attempt = useAttempt();
  const view = useDeskState(useCallback(({ opened }: State) => opened.get(id), [id]));
  const connection = useDeskState(useCallback((state: State) => state.connection, []));
  const [hasFailed, setFailed] = useState(false);
  const isLive = connection === 'live';

  useEffect(() => {
    // Agents may have been added. When this fails, the old list is good enough.
    client.agents().then(
      (agents) => store.update((state) => ({ ...state, agents })),
      () => undefined,
    );
  }, [id]);
  useEffect(() => {
    if (view) return;
    void attempt(async () => {
      const loaded = await client.conversation(id);
      store.update((state) => withOpened(state, loaded));
    }).then((isLoaded) => setFailed(!isLoaded));
  }, [id, isLive]);
  useReadReceipts(view, isLive);

  if (!view && hasFailed)
    return (
      <p class="hint">
        {t('unknown')} <a href="#/">{t('back')}</a>
      </p>
    );
  if (!view) return <p class="hint">…</p>;
  const showEarlier = () =>
    attempt(async () => {
      const earlier = await client.entries(id, view.entries[0]?.seq ?? 0);
      store.update((state) => withEarlier(state, id, earlier));
    });

  return (
    <article class="conversation">
      <ConversationHeader summary={view.summary} />
      <div class="columns">
        <div class="talk">
          <Transcript lines={view.transcript} />
          {view.more && (
            <button type="button" class="quiet" onClick={() => void showEarlier()}>
              {t('earlier')}
            </button>
          )}
          <Timeline view={view} />
        </div>
        <CustomerDetails view={view} />
      </div>
      <Composer summary={view.summary} entries={view.entries} />
    </article>
  );
}

/** Marks messages as read while the page is visible. */
function useReadReceipts(view: ConversationView | undefined, isLive: boolean): void {
  const { client } = useDesk();
  const me = useDeskState(meOf);
  const summary = view?.summary;
  useEffect(() => {
    if (!summary || !isLive) return;
    const markRead = (): void => {
      if (document.hidden || unreadOf(summary, me.id) <= 0) return;
      // A failure does no harm: the next message tries again.
      client.act(summary.id, 'read', { customerMessages: summary.customerMessages }).catch(() => undefined);
    };
    markRead();
    document.addEventListener('visibilitychange', markRead);
    return () => document.removeEventListener('visibilitychange', markRead);
  }, [summary?.id, summary?.customerMessages, isLive]);
}
