import { createStore, type Store } from './store.js';

/** Lines shown for a while: what came, and what went wrong. */
export interface Notices {
  /** The last line, with a number that tells it from the one before. */
  readonly last: { readonly id: number; readonly text: string } | null;
}

/** Makes the place where such lines are shown, and the way to say one. */
export function createNotices(): { readonly notices: Store<Notices>; readonly say: (text: string) => void } {
  const notices = createStore<Notices>({ last: null });
  return {
    notices,
    say: (text) => notices.update(({ last }) => ({ last: { id: (last?.id ?? 0) + 1, text } })),
  };
}
