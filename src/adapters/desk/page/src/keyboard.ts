import { useEffect } from 'preact/hooks';
import { goTo } from './route.js';
import type { TextName } from './strings/index.js';

/** Every shortcut, for the sheet that lists them. */
export const SHORTCUTS: readonly (readonly [string, TextName])[] = [
  ['j', 'keyNext'],
  ['k', 'keyPrevious'],
  ['r', 'keyReply'],
  ['n', 'keyNote'],
  ['c', 'keyClaim'],
  ['/', 'keySearch'],
  ['Ctrl+Enter', 'keySend'],
  ['Esc', 'keyEscape'],
  ['?', 'keyHelp'],
];

/** Marks what a key leads to: `data-key="reply"` and so on. */
type KeyTarget = 'reply' | 'note' | 'claim' | 'search';

const TARGETS: Readonly<Record<string, KeyTarget>> = { r: 'reply', n: 'note', c: 'claim', '/': 'search' };

const isWriting = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');

/** Listens for shortcuts, except while somebody writes. */
export function useShortcuts({ toggleHelp }: { readonly toggleHelp: () => void }): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === 'Escape' && isWriting(event.target)) (event.target as HTMLElement).blur();
      if (event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target)) return;
      if (document.querySelector('dialog[open]')) return;
      const done = act(event.key, toggleHelp);
      if (done) event.preventDefault();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [toggleHelp]);
}

function act(key: string, toggleHelp: () => void): boolean {
  if (key === '?') {
    toggleHelp();
    return true;
  }
  if (key === 'j' || key === 'k') return step(key === 'j' ? 1 : -1);
  const target = TARGETS[key];
  if (target === undefined) return false;
  const element = document.querySelector<HTMLElement>(`[data-key="${target}"]`);
  if (element instanceof HTMLButtonElement) element.click();
  else element?.focus();
  return element !== null;
}

/** Goes to the next or previous conversation of the list, as it is shown. */
function step(by: number): boolean {
  const links = [...document.querySelectorAll<HTMLElement>('[data-conversation]')];
  if (links.length === 0) return false;
  const at = links.findIndex((link) => link.getAttribute('aria-current') === 'true');
  const next = links[Math.min(links.length - 1, Math.max(0, at + by))];
  if (!next) return false;
  goTo(next.dataset.conversation ?? null);
  next.scrollIntoView({ block: 'nearest' });
  return true;
}
