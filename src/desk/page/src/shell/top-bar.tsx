import { useState } from 'preact/hooks';
import { removeDrafts } from '../conversation/drafts.js';
import { useAttempt, useDesk, useDeskState } from '../desk-context.js';
import { setNotifications } from '../notifications.js';
import { mayLeave, type Route } from '../route.js';
import { Avatar } from '../shared/elements.js';
import { Icon, type IconName } from '../shared/icon.js';
import { Menu, type MenuItem } from '../shared/menu.js';
import type { State } from '../state.js';
import { isPreferred, setPreferred } from '../store.js';
import { chooseLanguage, chosenLanguage, LANGUAGES, type Language, t } from '../strings/index.js';
import { chooseTheme, chosenTheme, type Theme } from '../theme.js';

const isAwayOf = ({ me, availability }: State) =>
  availability.some(({ agent, isAway }) => agent === me.id && isAway);

/** The bar at the top: the way to other views, whether the agent is available, and the agent's menu. */
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
  return (
    <header class="top-bar">
      <h1>
        <img src="./icon.svg" alt="" />
        {t('desk')}
      </h1>
      <nav>
        <ViewLink
          href="#/"
          icon="inbox"
          label={t('inbox')}
          isShown={shown === 'list' || shown === 'conversation'}
        />
        <ViewLink
          href="#/dashboard"
          icon="chart-column"
          label={t('dashboard')}
          isShown={shown === 'dashboard'}
        />
        <ViewLink href="#/settings" icon="settings" label={t('settings')} isShown={shown === 'settings'} />
      </nav>
      <Availability />
      <AgentMenu redraw={redraw} openHelp={openHelp} />
    </header>
  );
}

function ViewLink({
  href,
  icon,
  label,
  isShown,
}: {
  readonly href: string;
  readonly icon: IconName;
  readonly label: string;
  readonly isShown: boolean;
}) {
  return (
    <a class="view-link" href={href} aria-current={isShown ? 'page' : undefined} title={label}>
      <Icon name={icon} />
      <span>{label}</span>
    </a>
  );
}

/** Shows whether new conversations are assigned to the agent; a click changes it. */
function Availability() {
  const { client } = useDesk();
  const attempt = useAttempt();
  const isAway = useDeskState(isAwayOf);
  return (
    <button
      type="button"
      class={`availability ${isAway ? 'away' : ''}`}
      title={t(isAway ? 'awayHint' : 'availableHint')}
      onClick={() => void attempt(() => client.call('PUT', 'api/availability', { isAway: !isAway }))}
    >
      {t(isAway ? 'away' : 'available')}
    </button>
  );
}

const meOf = ({ me }: State) => me;

const THEMES = { system: 'themeSystem', light: 'themeLight', dark: 'themeDark' } as const;

/** Choices of the agent in this browser, the account, and the way out. */
function AgentMenu({ redraw, openHelp }: { readonly redraw: () => void; readonly openHelp: () => void }) {
  const { client, notify } = useDesk();
  const attempt = useAttempt();
  const me = useDeskState(meOf);
  const [isMuted, setMuted] = useState(() => isPreferred('muted'));
  const [isNotified, setNotified] = useState(() => isPreferred('notifications'));
  const [theme, setTheme] = useState(chosenTheme);
  const signOut = async (): Promise<void> => {
    if (!(await attempt(() => client.logout()))) return;
    removeDrafts();
    location.reload();
  };

  const actions: Readonly<Record<string, () => void>> = {
    account: () => location.assign('#/settings/account'),
    help: openHelp,
    sounds() {
      setPreferred('muted', !isMuted);
      setMuted(!isMuted);
    },
    notifications: () =>
      void setNotifications(!isNotified, client).then((state) => {
        setNotified(state !== false);
        if (state === 'push') notify(t('notificationsPush'));
        if (!isNotified && state === false) notify(t('notificationsRefused'));
      }),
    signOut: () => void signOut(),
  };
  const choose = (key: string): void => {
    const [kind, value = ''] = key.split(' ');
    if (kind === 'theme') {
      chooseTheme(value as Theme);
      setTheme(value as Theme);
    } else if (kind === 'language') {
      if (!mayLeave()) return;
      chooseLanguage(value as Language);
      redraw();
    } else actions[key]?.();
  };
  const items: readonly MenuItem[] = [
    { key: 'account', label: t('account'), icon: 'user', group: me.name },
    { key: 'help', label: t('shortcuts'), icon: 'keyboard', group: me.name },
    { key: 'sounds', label: t('sounds'), icon: isMuted ? 'volume-off' : 'volume-2', isOn: !isMuted },
    { key: 'notifications', label: t('notifications'), icon: 'bell', isOn: isNotified },
    ...Object.entries(LANGUAGES).map(([language, label]) => ({
      key: `language ${language}`,
      label,
      isOn: language === chosenLanguage(),
      group: t('language'),
    })),
    ...Object.entries(THEMES).map(([name, text]) => ({
      key: `theme ${name}`,
      label: t(text),
      isOn: name === theme,
      group: t('theme'),
    })),
    { key: 'signOut', label: t('logout'), icon: 'log-out' },
  ];
  return (
    <Menu label={t('tools', { name: me.name })} items={items} choose={choose}>
      <Avatar name={me.name} size="small" />
    </Menu>
  );
}
