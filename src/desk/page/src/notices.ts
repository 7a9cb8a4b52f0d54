import { createStore, type Store } from './store.js';

/** A short message to the agent: an announcement or an error. */
export interface Notice {
  /** Distinguishes it from an earlier one with the same text. */
  readonly id: number;
  readonly text: string;
  /** A click opens this. */
  readonly href: string | null;
}

export interface Notices {
  readonly last: Notice | null;
}

/** Shows a notice for a few seconds. With `href`, it is a link. */
export type Notify = (text: string, href?: string) => void;

const STORAGE_KEY = 'handoff-desk-notice';

/** Reloads the page, then shows a notice. */
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
export function createNotices(): { readonly notices: Store<Notices>; readonly notify: Notify } {
  const notices = createStore<Notices>({ last: null });
  return {
    notices,
    notify: (text, href) =>
      notices.update(({ last }) => ({ last: { id: (last?.id ?? 0) + 1, text, href: href ?? null } })),
  };
}
