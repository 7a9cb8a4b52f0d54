import { useEffect } from 'preact/hooks';
import { navigateTo } from '../route.js';
import type { TextName } from '../strings/index.js';

/** All shortcuts, for the help dialog. */
export const SHORTCUTS: readonly (readonly [string, TextName])[] = [
  ['j', 'keyNext'],
  ['k', 'keyPrevious'],
  ['r', 'keyReply'],
  ['n', 'keyNote'],
  ['c', 'keyClaim'],
  ['x', 'keySelect'],
  ['/', 'keySearch'],
  ['/…', 'keySlash'],
  ['@…', 'keyAt'],
  ['Ctrl+K', 'keyPalette'],
  ['Ctrl+Enter', 'keySend'],
  ['Esc', 'keyEscape'],
  ['?', 'keyHelp'],
];

const STORAGE_KEY = 'handoff-desk-shortcuts';

/** Whether single keys are shortcuts. They can be turned off, because speech input and shaky hands press keys by accident. */
export const areShortcutsOn = (): boolean => localStorage.getItem(STORAGE_KEY) !== 'off';

export const setShortcutsOn = (isOn: boolean): void => localStorage.setItem(STORAGE_KEY, isOn ? 'on' : 'off');

/** Elements are marked as the target of a key: `data-key="reply"`. */
type KeyTarget = 'reply' | 'note' | 'claim' | 'search';

const TARGETS: Readonly<Record<string, KeyTarget>> = { r: 'reply', n: 'note', c: 'claim', '/': 'search' };

const isTextField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  target.matches('input:not([type=checkbox]), textarea, select, [contenteditable]');

/** Shortcuts that do more than press an element. All must be stable between renders. */
interface ShortcutActions {
  readonly toggleHelp: () => void;
  readonly openPalette: () => void;
  readonly toggleSelected: (id: string) => void;
  readonly endSelection: () => void;
}

/** Handles shortcuts, except in text fields. */
export function useShortcuts(actions: ShortcutActions): void {
  const { toggleHelp, openPalette, toggleSelected, endSelection } = actions;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === 'k' && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        if (!document.querySelector('dialog[open]')) openPalette();
        return;
      }
      if (event.key === 'Escape' && isTextField(event.target)) (event.target as HTMLElement).blur();
      if (event.ctrlKey || event.metaKey || event.altKey || isTextField(event.target)) return;
      if (document.querySelector('dialog[open]') || !areShortcutsOn()) return;
      if (event.key === 'Escape') endSelection();
      const isHandled = handleKey(event.key, { toggleHelp, toggleSelected });
      if (isHandled) event.preventDefault();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [toggleHelp, openPalette]);
}

function handleKey(
  key: string,
  { toggleHelp, toggleSelected }: Pick<ShortcutActions, 'toggleHelp' | 'toggleSelected'>,
): boolean {
  if (key === '?') {
    toggleHelp();
    return true;
  }
  if (key === 'x') {
    const id = currentConversation();
    if (id !== undefined) toggleSelected(id);
    return id !== undefined;
  }
  if (key === 'j' || key === 'k') return step(key === 'j' ? 1 : -1);
  const target = TARGETS[key];
  if (target === undefined) return false;
  const element = document.querySelector<HTMLElement>(`[data-key="${target}"]`);
  if (element instanceof HTMLButtonElement) element.click();
  else element?.focus();
  return element !== null;
}

/** The conversation in the list that has the focus, or else the one that is open. */
function currentConversation(): string | undefined {
  const item = document.activeElement
    ?.closest('.inbox li')
    ?.querySelector<HTMLElement>('[data-conversation]');
  const open = document.querySelector<HTMLElement>('[data-conversation][aria-current="true"]');
  return (item ?? open)?.dataset.conversation;
}

/** Opens the next or previous conversation in the order of the inbox. */
function step(by: number): boolean {
  const links = [...document.querySelectorAll<HTMLElement>('[data-conversation]')];
  if (links.length === 0) return false;
  const at = links.findIndex((link) => link.getAttribute('aria-current') === 'true');
  const next = links[Math.min(links.length - 1, Math.max(0, at + by))];
  if (!next) return false;
  navigateTo(next.dataset.conversation ?? null);
  next.focus();
  next.scrollIntoView({ block: 'nearest' });
  return true;
}
