import { createStore, type Store } from './store.js';

/** Short messages to the agent: announcements and errors. */
export interface Notices {
  /** The last notice. Its number tells it apart from an earlier one with the same text. */
  readonly last: { readonly id: number; readonly text: string } | null;
}

const STORAGE_KEY = 'handoff-desk-notice';

/** Loads the page again, and shows a notice then. */
export function reloadWith(text: string): void {
  sessionStorage.setItem(STORAGE_KEY, text);
  location.reload();
}

/** The notice that was left for this page; it is shown once. */
export function takeNotice(): string | null {
  const text = sessionStorage.getItem(STORAGE_KEY);
  sessionStorage.removeItem(STORAGE_KEY);
  return text;
}

/** Creates the store of notices, and the function that shows one. */
export function createNotices(): {
  readonly notices: Store<Notices>;
  readonly notify: (text: string) => void;
} {
  const notices = createStore<Notices>({ last: null });
  return {
    notices,
    notify: (text) => notices.update(({ last }) => ({ last: { id: (last?.id ?? 0) + 1, text } })),
  };
}
