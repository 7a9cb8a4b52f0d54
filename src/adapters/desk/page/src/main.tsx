import { render } from 'preact';
import type { TeamList } from '../../api.js';
import { watchActivity } from './activity.js';
import { announcementOf, playSound } from './announce.js';
import { createClient } from './client.js';
import { Desk } from './desk-context.js';
import { removeDraftsOfOthers } from './drafts.js';
import { createNotices, takeNotice } from './notices.js';
import { notifySystem } from './notifications.js';
import { hrefOf, isVisible } from './route.js';
import { followShared } from './shared-updates.js';
import {
  hasUnknownAgent,
  hasUnknownPresence,
  initialState,
  type State,
  withSignal,
  withUpdate,
} from './state.js';
import { createStore, type Store } from './store.js';
import { t } from './strings/index.js';
import { DeskPage } from './views/desk-page.js';
import { makeBidiVisible } from './visible-bidi.js';

const root = document.querySelector('#desk');

/** Without a session, the server answers with the login page. */
const showLogin = (): void => location.reload();

async function start(): Promise<void> {
  if (!root) return;
  const client = createClient(showLogin);
  const first = await client.state();
  const store: Store<State> = createStore(initialState(first));
  const { notices, notify } = createNotices();
  const left = takeNotice();
  if (left !== null) notify(left);
  makeBidiVisible();
  removeDraftsOfOthers(first.me.id);
  watchActivity(() => void client.call('POST', 'api/account/active', {}).catch(() => undefined));

  const loadAgents = (): void =>
    void Promise.all([client.agents(), client.call<TeamList>('GET', 'api/teams')]).then(
      ([agents, { teams }]) => store.update((state) => ({ ...state, agents, teams })),
      () => undefined,
    );

  followShared(first.seq, {
    onUpdate(update) {
      if (hasUnknownAgent(store.get(), update)) loadAgents();
      store.update((state) => withUpdate(state, update));
      const announcement = announcementOf(update, first.me.id);
      if (announcement === null) return;
      playSound();
      const href = hrefOf(update.summary.id);
      notifySystem(announcement, href);
      if (!isVisible(update.summary.id)) notify(announcement, href);
    },
    onSignal(signal) {
      if (hasUnknownPresence(store.get(), signal)) loadAgents();
      store.update((state) => withSignal(state, signal));
    },
    onConnection(connection) {
      store.update((state) => ({ ...state, connection }));
      // An event stream does not tell why it broke. Without a session, this call leads to the login.
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
}

start().catch(() => {
  if (root) root.textContent = t('errorUNREACHABLE');
});
