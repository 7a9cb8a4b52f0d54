import type { ComponentType } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { FirstRun } from '../admin/first-run.js';
import { ConversationPane } from '../conversation/conversation-pane.js';
import { Dashboard } from '../dashboard/dashboard.js';
import { useDesk, useDeskState } from '../desk-context.js';
import { Inbox } from '../inbox/inbox.js';
import { NextUp } from '../inbox/next-up.js';
import type { Notices } from '../notices.js';
import { showInTitle } from '../notifications.js';
import { useRoute } from '../route.js';
import { NoticeLine } from '../shared/notice-line.js';
import { isOfferedTo, type State, unreadMentionsOf, unreadOf, withSelected, withToggled } from '../state.js';
import type { Store } from '../store.js';
import { t } from '../strings/index.js';
import { CommandPalette } from './command-palette.js';
import { HelpDialog } from './help-dialog.js';
import { useShortcuts } from './keyboard.js';
import { TopBar } from './top-bar.js';

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
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const openPalette = useCallback(() => setPaletteOpen(true), []);
  const closePalette = useCallback(() => setPaletteOpen(false), []);
  const { store } = useDesk();
  const toggleSelected = useCallback((id: string) => store.update((state) => withToggled(state, id)), []);
  const endSelection = useCallback(() => store.update((state) => withSelected(state, null)), []);
  useShortcuts({ toggleHelp, openPalette, toggleSelected, endSelection });
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
          {route.kind === 'list' && <FirstRun />}
          {route.kind === 'list' && <NextUp />}
        </main>
      </div>
      <NoticeLine notices={notices} />
      {isPaletteOpen && <CommandPalette close={closePalette} />}
      {isHelpOpen && <HelpDialog close={closeHelp} />}
    </div>
  );
}

const connectionOf = (state: State) => state.connection;
const platformOf = (state: State) => state.platform;
const isIdleOf = (state: State) => state.isIdle;
const isStored = (state: State) => state.durable;

function ConnectionLine() {
  const connection = useDeskState(connectionOf);
  const durable = useDeskState(isStored);
  const isIdle = useDeskState(isIdleOf);
  const { delayed, isRefused } = useDeskState(platformOf);
  if (isIdle)
    return (
      <p class="banner alarming" role="alert">
        {t('idleSoon')}
      </p>
    );
  if (connection === 'lost') return <p class="banner alarming">{t('lost')}</p>;
  if (isRefused) return <p class="banner alarming">{t('platformRefuses', { count: delayed })}</p>;
  if (delayed > 0) return <p class="banner alarming">{t('platformDown', { count: delayed })}</p>;
  return durable ? null : <p class="banner">{t('notDurable')}</p>;
}

/**
 * The number of conversations that need attention: waiting ones, own ones that are new or have unread messages, and those
 * with a note that mentions the agent.
 */
const countAttention = ({ conversations, me }: State): number =>
  [...conversations.values()].filter(
    (summary) =>
      summary.state === 'waiting' ||
      isOfferedTo(summary, me.id) ||
      unreadMentionsOf(summary, me.id) > 0 ||
      (summary.agent === me.id && isUnread(summary, me.id)),
  ).length;

const isUnread = (summary: Parameters<typeof unreadOf>[0], me: string): boolean =>
  summary.state !== 'closed' && unreadOf(summary, me) > 0;

function useTitle(): void {
  const count = useDeskState(countAttention);
  useEffect(() => showInTitle(count), [count]);
}

/** The settings, whose code is loaded when an agent opens them. */
function AdminLoader({ tab }: { readonly tab: string }) {
  const [loaded, setLoaded] = useState<{ readonly Admin: ComponentType<{ tab: string }> } | null>(null);
  const [hasFailed, setFailed] = useState(false);
  useEffect(() => {
    import('../admin/admin.js').then(setLoaded, () => setFailed(true));
  }, []);
  if (hasFailed) return <p class="hint">{t('errorUNREACHABLE')}</p>;
  return loaded ? <loaded.Admin tab={tab} /> : <p class="hint">…</p>;
}
