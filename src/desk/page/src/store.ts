import { useEffect, useState } from 'preact/hooks';

/** Holds a state and notifies listeners of changes. */
export interface Store<State> {
  get(): State;
  update(change: (state: State) => State): void;
  subscribe(listener: () => void): () => void;
}

/** Listeners are notified at most once per frame. */
export function createStore<State>(initial: State): Store<State> {
  const listeners = new Set<() => void>();
  let state = initial;
  let isScheduled = false;

  const notify = (): void => {
    isScheduled = false;
    for (const listener of listeners) listener();
  };

  return {
    get: () => state,
    update(change) {
      const next = change(state);
      if (next === state) return;
      state = next;
      if (isScheduled) return;
      isScheduled = true;
      // A page in the background gets no frames, but must still change its title.
      if (document.hidden) setTimeout(notify, 50);
      else requestAnimationFrame(notify);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** A part of a store's state. `isSame` is for parts that `pick` recomputes each time. */
export function useStore<State, Part>(
  store: Store<State>,
  pick: (state: State) => Part,
  isSame: (before: Part, now: Part) => boolean = Object.is,
): Part {
  const [part, setPart] = useState(() => pick(store.get()));
  useEffect(() => {
    const update = (): void =>
      setPart((before) => {
        const now = pick(store.get());
        return isSame(before, now) ? before : now;
      });
    update();
    return store.subscribe(update);
  }, [store, pick, isSame]);
  return part;
}

/** Choices of an agent in this browser, all off at first. */
export type Preference = 'enter-sends' | 'undo-send' | 'notifications' | 'muted' | 'first-run-done';

const keyOf = (name: Preference): string => `handoff-desk-${name}`;

export const isPreferred = (name: Preference): boolean => localStorage.getItem(keyOf(name)) === 'on';

export const setPreferred = (name: Preference, on: boolean): void =>
  localStorage.setItem(keyOf(name), on ? 'on' : 'off');
