import { render } from 'preact';
import type {
  ConversationListView,
  ConversationStatus,
  ConversationUpdate,
  StateView,
  TeamList,
} from '../../api.js';
import { createAnnouncementLimit } from './announcements.js';
import { type Client, ClientError, createClient } from './client.js';
import { removeDrafts, removeDraftsOfOthers } from './conversation/drafts.js';
import { type Attempt, createAttempt, Desk } from './desk-context.js';
import { createNotices, type Notices, takeNotice } from './notices.js';
import { announcementOf, notifySystem, playSound } from './notifications.js';
import { followPush } from './push.js';
import { hrefOf, isVisible } from './route.js';
import { NoticeLine } from './shared/notice-line.js';
import { makeBidiVisible } from './shared/rich-text.js';
import { DeskPage } from './shell/desk-page.js';
import {
  hasUnknownAgent,
  hasUnknownPresence,
  initialState,
  type State,
  withSignal,
  withSummaries,
  withUpdates,
} from './state.js';
import { createStore, type Store } from './store.js';
import { t } from './strings/index.js';
import { applyTheme } from './theme.js';
import { batch } from './updates/live-updates.js';
import { followShared } from './updates/shared-updates.js';

const root = document.querySelector('#desk');
applyTheme();

/** Live updates are applied together: each time, the list of conversations is copied, sorted and rendered. */
const BATCH_MS = 50;

/** When the agent was last reported to be active, for all tabs of the browser. */
const ACTIVE_KEY = 'handoff-desk-active';

/** Activity is reported this often at most, and the agent warned this long before the end of the session. */
const REPORT_MS = 60_000;
const WARNING_MS = 120_000;
const CHECK_MS = 5_000;

/** Without a session, the server answers with the login page. */
const showLogin = (): void => location.reload();

async function start(): Promise<void> {
  if (!root) return;
  const client = createClient(showLogin);
  const { notices, notify } = createNotices();
  const first = await client.state().catch((error: unknown) => {
    if (error instanceof ClientError && error.code === 'TOTP_REQUIRED') return null;
    throw error;
  });
  if (!first) return showTotpPage(root, client, notices, createAttempt(notify));
  const store: Store<State> = createStore(initialState(first));
  const left = takeNotice();
  if (left !== null) notify(left);
  makeBidiVisible();
  removeDraftsOfOthers(first.me.id);
  if (first.hasPush) followPush(client);
  watchActivity(first.idleMs, {
    report: () => void client.call('POST', 'api/account/active', {}).catch(() => undefined),
    onIdle(isIdle) {
      store.update((state) => ({ ...state, isIdle }));
      if (!isIdle) return;
      playSound();
      void notifySystem(t('idleSoon'), '');
    },
  });

  const loadAgents = (): void =>
    void Promise.all([client.agents(), client.call<TeamList>('GET', 'api/teams')]).then(
      ([agents, { teams }]) => store.update((state) => ({ ...state, agents, teams })),
      () => undefined,
    );

  const apply = batch<ConversationUpdate>(BATCH_MS, (updates) =>
    store.update((state) => withUpdates(state, updates)),
  );
  const isShown = createAnnouncementLimit();
  followShared(first.seq, {
    onUpdate(update) {
      if (hasUnknownAgent(store.get(), update)) loadAgents();
      apply(update);
      const announcement = announcementOf(update, first.me.id);
      if (announcement === null) return;
      playSound();
      const href = hrefOf(update.summary.id);
      void notifySystem(announcement, href);
      if (!isVisible(update.summary.id) && isShown()) notify(announcement, href);
    },
    onSignal(signal) {
      if (hasUnknownPresence(store.get(), signal)) loadAgents();
      store.update((state) => withSignal(state, signal));
    },
    onConnection(connection) {
      store.update((state) => ({ ...state, connection }));
      // An event stream does not say why it broke. Without a session, this call leads to the login page.
      if (connection === 'lost') loadAgents();
    },
    onLoggedOut: showLogin,
  });

  const draw = (): void =>
    render(
      <Desk.Provider value={{ store, client, notify }}>
        <DeskPage key={document.documentElement.lang} notices={notices} redraw={draw} />
      </Desk.Provider>,
      root,
    );
  draw();
  for (const { state, after } of first.more) void loadRest(client, store, state, after);
}

/** Pauses after a failure. */
const RETRY_MS = 5_000;

/** Loads the open conversations that the first answer left out, so that it stays small. */
async function loadRest(
  client: Client,
  store: Store<State>,
  state: ConversationStatus,
  after: StateView['more'][number]['after'],
): Promise<void> {
  for (let last: typeof after | undefined = after; last; ) {
    const page: ConversationListView | null = await client.list({ state, after: last }).catch(() => null);
    if (page) {
      store.update((now) => withSummaries(now, page.conversations));
      last = page.more ? page.conversations.at(-1) : undefined;
    } else await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

/** The agent has to set up a second factor before the desk answers anything else. */
async function showTotpPage(
  into: Element,
  client: Client,
  notices: Store<Notices>,
  attempt: Attempt,
): Promise<void> {
  const { TotpPage } = await import('./admin/admin.js');
  await client.account();
  const logOut = async (): Promise<void> => {
    if (!(await attempt(() => client.logout()))) return;
    removeDrafts();
    showLogin();
  };
  render(
    <>
      <TotpPage client={client} attempt={attempt} logOut={() => void logOut()} />
      <NoticeLine notices={notices} />
    </>,
    into,
  );
}

/**
 * The desk logs idle agents out. Reports keyboard and mouse activity in this tab, and calls back when the session is about
 * to end, and when the agent is active again.
 */
function watchActivity(
  idleMs: number,
  { report, onIdle }: { readonly report: () => void; readonly onIdle: (isIdle: boolean) => void },
): void {
  const everyMs = Math.min(REPORT_MS, idleMs / 4);
  const warnAfterMs = idleMs - Math.min(WARNING_MS, idleMs / 2);
  let isIdle = false;
  const passedMs = (): number => Date.now() - Number(localStorage.getItem(ACTIVE_KEY) ?? 0);
  const check = (): void => {
    if (isIdle === passedMs() > warnAfterMs) return;
    isIdle = !isIdle;
    onIdle(isIdle);
  };
  const onActivity = (): void => {
    if (passedMs() < everyMs) return;
    localStorage.setItem(ACTIVE_KEY, String(Date.now()));
    report();
    check();
  };
  // Loading the page counts as activity too.
  localStorage.setItem(ACTIVE_KEY, String(Date.now()));
  setInterval(check, Math.min(CHECK_MS, everyMs));
  for (const name of ['pointerdown', 'pointermove', 'keydown', 'wheel']) {
    addEventListener(name, onActivity, { capture: true, passive: true });
  }
}

start().catch(() => {
  if (root) root.textContent = t('errorUNREACHABLE');
});
