import { useMemo, useState } from 'preact/hooks';
import type { InboxViewName } from '../../../api.js';
import { actionsInMenu } from '../conversation/conversation-header.js';
import { useDesk } from '../desk-context.js';
import { navigateTo } from '../route.js';
import { Dialog } from '../shared/dialog.js';
import { customerName } from '../shared/elements.js';
import { type State, withFilter } from '../state.js';
import type { Store } from '../store.js';
import { t } from '../strings/index.js';

interface PaletteCommand {
  readonly key: string;
  readonly label: string;
  readonly run: () => void;
}

const MAX_SHOWN = 8;

const optionId = (index: number): string => `palette-option-${index}`;

/** Finds actions, views and open conversations by a part of their name. */
export function CommandPalette({ close }: { readonly close: () => void }) {
  const { store } = useDesk();
  const [search, setSearch] = useState('');
  const [index, setIndex] = useState(0);
  // Collected once: the agent cannot change anything behind a modal dialog.
  const commands = useMemo(
    () => [...conversationCommands(), ...viewCommands(store), ...conversations(store.get())],
    [],
  );
  const wanted = search.trim().toLowerCase();
  const matches = commands.filter(({ label }) => label.toLowerCase().includes(wanted)).slice(0, MAX_SHOWN);
  const chosen = Math.min(index, matches.length - 1);

  const run = (command: PaletteCommand | undefined): void => {
    if (!command) return;
    close();
    // After the dialog has returned the focus.
    setTimeout(command.run);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing || matches.length === 0) return;
    if (event.key === 'ArrowDown') setIndex((chosen + 1) % matches.length);
    else if (event.key === 'ArrowUp') setIndex((chosen + matches.length - 1) % matches.length);
    else if (event.key === 'Enter') run(matches[chosen]);
    else return;
    event.preventDefault();
  };

  return (
    <Dialog title={t('palette')} close={close}>
      <input
        type="text"
        role="combobox"
        dir="auto"
        aria-label={t('paletteSearch')}
        placeholder={t('paletteSearch')}
        aria-expanded={matches.length > 0}
        aria-controls="palette-options"
        aria-autocomplete="list"
        aria-activedescendant={matches.length > 0 ? optionId(chosen) : undefined}
        value={search}
        onInput={({ currentTarget }) => {
          setSearch(currentTarget.value);
          setIndex(0);
        }}
        onKeyDown={onKeyDown}
      />
      {matches.length === 0 && <p class="hint">{t('noneFound')}</p>}
      <div id="palette-options" class="suggestions" role="listbox" aria-label={t('palette')}>
        {matches.map((command, nth) => (
          <button
            type="button"
            role="option"
            tabIndex={-1}
            key={command.key}
            id={optionId(nth)}
            dir="auto"
            aria-selected={nth === chosen}
            onClick={() => run(command)}
          >
            {command.label}
          </button>
        ))}
      </div>
    </Dialog>
  );
}

/** The buttons of the open conversation, and what is in its menu. */
function conversationCommands(): readonly PaletteCommand[] {
  const buttons = document.querySelectorAll<HTMLButtonElement>(
    '.conversation-header .actions > button, .modes > button:enabled, .modes > .menu > button',
  );
  return [
    ...[...buttons].map((button, nth) => ({
      key: `button ${nth}`,
      label: button.getAttribute('aria-label') ?? button.textContent ?? '',
      run: () => button.click(),
    })),
    ...actionsInMenu().map(({ key, group, label, run }) => ({
      key: `action ${key}`,
      label: group === undefined ? label : `${group}: ${label}`,
      run: () => void run(),
    })),
  ];
}

function viewCommands(store: Store<State>): readonly PaletteCommand[] {
  const views: readonly (readonly [InboxViewName, string])[] = [
    ['all', t('viewAll')],
    ['mine', t('groupMine')],
    ['teams', t('viewTeams')],
    ['mentions', t('viewMentions')],
    ['unassigned', t('viewUnassigned')],
    ['closed', t('closed')],
  ];
  return [
    ...views.map(([view, label]) => ({
      key: `view ${view}`,
      label: t('paletteView', { view: label }),
      run: () => {
        navigateTo(null);
        store.update((state) => withFilter(state, { view }));
      },
    })),
    { key: 'dashboard', label: t('dashboard'), run: () => location.assign('#/dashboard') },
    { key: 'settings', label: t('settings'), run: () => location.assign('#/settings') },
  ];
}

const conversations = ({ conversations: all }: State): readonly PaletteCommand[] =>
  [...all.values()]
    .filter(({ state }) => state !== 'closed')
    .map(({ id, user, last }) => ({
      key: id,
      label: [customerName(user), last?.text].filter(Boolean).join(' – '),
      run: () => navigateTo(id),
    }));
