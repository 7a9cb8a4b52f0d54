import { createStore, type Store } from './store.js';

/** Short messages to the agent: announcements and errors. */
export interface Notices {
  /** The last notice. Its number tells it apart from an earlier one with the same text. */
  readonly last: { readonly id: number; readonly text: string } | null;
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
