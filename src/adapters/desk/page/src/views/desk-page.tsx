import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { showInTitle } from '../announce.js';
import { useDeskState } from '../desk-context.js';
import { useShortcuts } from '../keyboard.js';
import type { Notices } from '../notices.js';
import { useRoute } from '../route.js';
import { type State, unreadOf } from '../state.js';
import { type Store, useStore } from '../store.js';
import { t } from '../strings/index.js';
import { AdminLoader } from './admin-loader.js';
import { ConversationPane } from './conversation-pane.js';
import { Dashboard } from './dashboard.js';
import { HelpDialog } from './help-dialog.js';
import { Inbox } from './inbox.js';
import { TopBar } from './top-bar.js';

/** How long a notice is shown. */
const NOTICE_MS = 6_000;

/** The whole page. */
export function DeskPage({
  notices,
  redraw,
}: {
  readonly notices: Store<Notices>;
  readonly redraw: () => void;
}) {
  const route = useRoute();
  const main = useRef<HTMLElement>(null);
  const [isHelpOpen, setHelpOpen] = useState(false);
  const toggleHelp = useCallback(() => setHelpOpen((open) => !open), []);
  const closeHelp = useCallback(() => setHelpOpen(false), []);
  useShortcuts({ toggleHelp });
  useTitle();
  const shown = route.kind === 'conversation' ? route.id : null;

  return (
    <div class={`desk shows-${route.kind}`}>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        {t('skip')}
      </button>
      <TopBar redraw={redraw} openHelp={toggleHelp} shown={route.kind} />
      <ConnectionLine />
      <div class="panes">
        <Inbox shown={shown} />
        <main
          ref={main}
          tabIndex={-1}
          class="pane main-pane"
          aria-label={t(route.kind === 'dashboard' || route.kind === 'settings' ? route.kind : 'live')}
        >
          {route.kind === 'dashboard' && <Dashboard />}
          {route.kind === 'settings' && <AdminLoader tab={route.tab} />}
          {route.kind === 'conversation' && <ConversationPane key={route.id} id={route.id} />}
          {route.kind === 'list' && <p class="hint">{t('pickOne')}</p>}
        </main>
      </div>
      <NoticeLine notices={notices} />
      {isHelpOpen && <HelpDialog close={closeHelp} />}
    </div>
  );
}

const connectionOf = (state: State) => state.connection;
const isDurable = (state: State) => state.durable;

function ConnectionLine() {
  const connection = useDeskState(connectionOf);
  const durable = useDeskState(isDurable);
  if (connection === 'lost') return <p class="banner alarming">{t('lost')}</p>;
  return durable ? null : <p class="banner">{t('notDurable')}</p>;
}

const lastNotice = ({ last }: Notices) => last;

/** Announced by screen readers, too, without taking the focus. */
function NoticeLine({ notices }: { readonly notices: Store<Notices> }) {
  const last = useStore(notices, lastNotice);
  const [hiddenId, setHiddenId] = useState(0);
  useEffect(() => {
    if (!last) return;
    const timer = setTimeout(() => setHiddenId(last.id), NOTICE_MS);
    return () => clearTimeout(timer);
  }, [last]);
  return (
    <div class="notice" role="status" aria-live="polite">
      {last && last.id !== hiddenId && <p>{last.text}</p>}
    </div>
  );
}

/** The number of conversations that need attention: waiting ones, and own ones with unread messages. */
const countAttention = ({ conversations, me }: State): number =>
  [...conversations.values()].filter(
    (summary) => summary.state === 'waiting' || (summary.agent === me.id && isUnread(summary, me.id)),
  ).length;

const isUnread = (summary: Parameters<typeof unreadOf>[0], me: string): boolean =>
  summary.state !== 'closed' && unreadOf(summary, me) > 0;

function useTitle(): void {
  const count = useDeskState(countAttention);
  useEffect(() => showInTitle(count), [count]);
}
