import { useState } from 'preact/hooks';
import { removeDrafts } from '../conversation/drafts.js';
import { useAttempt, useDesk, useDeskState } from '../desk-context.js';
import { mayLeave, type Route } from '../route.js';
import { Avatar } from '../shared/elements.js';
import { Icon } from '../shared/icon.js';
import type { State } from '../state.js';
import { isPreferred, setPreferred } from '../store.js';
import { chooseLanguage, chosenLanguage, LANGUAGES, type Language, t } from '../strings/index.js';

const meOf = ({ me }: State) => me;
const isAwayOf = ({ me, availability }: State) =>
  availability.some(({ agent, isAway }) => agent === me.id && isAway);

/** The bar at the top: navigation, settings and logout. */
export function TopBar({
  redraw,
  openHelp,
  shown,
}: {
  readonly redraw: () => void;
  readonly openHelp: () => void;
  /** The kind of the current view. */
  readonly shown: Route['kind'];
}) {
  const { client } = useDesk();
  const attempt = useAttempt();
  const me = useDeskState(meOf);
  const isAway = useDeskState(isAwayOf);
  const [isOpen, setOpen] = useState(false);
  const [isMuted, setMuted] = useState(() => isPreferred('muted'));
  const toggleSound = (): void => {
    setPreferred('muted', !isMuted);
    setMuted(!isMuted);
  };
  const logOut = async (): Promise<void> => {
    if (!(await attempt(() => client.logout()))) return;
    removeDrafts();
    location.reload();
  };

  return (
    <header class="top-bar">
      <h1>{t('desk')}</h1>
      <nav>
        <a href="#/" aria-current={shown === 'list' || shown === 'conversation' ? 'page' : undefined}>
          {t('inbox')}
        </a>
        <a href="#/dashboard" aria-current={shown === 'dashboard' ? 'page' : undefined}>
          {t('dashboard')}
        </a>
        <a href="#/settings" aria-current={shown === 'settings' ? 'page' : undefined}>
          {t('settings')}
        </a>
      </nav>
      <button
        type="button"
        class="tools-toggle icon-only"
        aria-label={t('tools')}
        aria-expanded={isOpen}
        aria-controls="tools"
        onClick={() => setOpen(!isOpen)}
      >
        <Avatar name={me.name} size="small" />
      </button>
      <div id="tools" class={`tools ${isOpen ? 'open' : ''}`}>
        <button type="button" onClick={openHelp} aria-label={t('shortcuts')} title={`${t('shortcuts')} (?)`}>
          ?
        </button>
        <button
          type="button"
          onClick={toggleSound}
          aria-pressed={isMuted}
          aria-label={t('mute')}
          title={t(isMuted ? 'unmute' : 'mute')}
        >
          <Icon name={isMuted ? 'volume-off' : 'volume-2'} />
        </button>
        <select
          aria-label={t('language')}
          value={chosenLanguage()}
          onChange={({ currentTarget }) => {
            if (mayLeave()) {
              chooseLanguage(currentTarget.value as Language);
              redraw();
            } else currentTarget.value = chosenLanguage();
          }}
        >
          {Object.entries(LANGUAGES).map(([key, name]) => (
            <option key={key} value={key}>
              {name}
            </option>
          ))}
        </select>
        <button
          type="button"
          class="away"
          aria-pressed={isAway}
          title={t('awayHint')}
          onClick={() => void attempt(() => client.call('PUT', 'api/availability', { isAway: !isAway }))}
        >
          {t('away')}
        </button>
        <span class="me" dir="auto">
          {me.name}
        </span>
        <button type="button" onClick={() => void logOut()}>
          {t('logout')}
        </button>
      </div>
    </header>
  );
}
