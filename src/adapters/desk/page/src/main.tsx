import { render } from 'preact';
import { announcementOf, sound } from './announce.js';
import { createClient } from './client.js';
import { Desk } from './desk-context.js';
import { followLive } from './live.js';
import { createNotices } from './notices.js';
import { isLookedAt } from './route.js';
import { firstState, hasStranger, type State, withEntry } from './state.js';
import { createStore, type Store } from './store.js';
import { t } from './strings/index.js';
import { DeskPage } from './views/desk-page.js';

const root = document.querySelector('#desk');

/** The page after a login elsewhere has ended: the server shows the login. */
const leave = (): void => location.reload();

async function start(): Promise<void> {
  if (!root) return;
  const client = createClient(leave);
  const first = await client.state();
  const store: Store<State> = createStore(firstState(first));
  const { notices, say } = createNotices();

  const lookForAgents = (): void =>
    void client.agents().then(
      (agents) => store.update((state) => ({ ...state, agents })),
      () => undefined,
    );

  followLive(first.seq, {
    onEntry(entry) {
      if (hasStranger(store.get(), entry)) lookForAgents();
      store.update((state) => withEntry(state, entry));
      const announcement = announcementOf(entry, first.me.id);
      if (announcement === null) return;
      sound();
      if (!isLookedAt(entry.summary.id)) say(announcement);
    },
    onConnection(connection) {
      store.update((state) => ({ ...state, connection }));
      // A stream does not say why it broke. If the session has ended, this leads to the login.
      if (connection === 'lost') lookForAgents();
    },
    onGone: leave,
  });

  const draw = (): void =>
    render(
      <Desk.Provider value={{ store, client, say }}>
        <DeskPage key={document.documentElement.lang} notices={notices} redraw={draw} />
      </Desk.Provider>,
      root,
    );
  draw();
}

start().catch(() => {
  if (root) root.textContent = t('refusedUNREACHABLE');
});
