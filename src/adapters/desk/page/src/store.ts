import { useEffect, useState } from 'preact/hooks';

/** Something that changes, and tells those who look at it. */
export interface Store<State> {
  get(): State;
  update(change: (state: State) => State): void;
  subscribe(changed: () => void): () => void;
}

/** Makes a {@link Store}. Those who look on are told once a frame, however much has changed. */
export function createStore<State>(first: State): Store<State> {
  const listeners = new Set<() => void>();
  let state = first;
  let telling = false;

  const tell = (): void => {
    telling = false;
    for (const changed of listeners) changed();
  };

  return {
    get: () => state,
    update(change) {
      const next = change(state);
      if (next === state) return;
      state = next;
      if (telling) return;
      telling = true;
      // A page in the background gets no frames, and must still sound and change its title.
      if (document.hidden) setTimeout(tell, 50);
      else requestAnimationFrame(tell);
    },
    subscribe(changed) {
      listeners.add(changed);
      return () => void listeners.delete(changed);
    },
  };
}

/**
 * A part of a store's state; the component is drawn again when that part is another. Where `pick` makes it anew each
 * time, `isSame` tells whether it has changed.
 */
export function useStore<State, Part>(
  store: Store<State>,
  pick: (state: State) => Part,
  isSame: (before: Part, now: Part) => boolean = Object.is,
): Part {
  const [part, setPart] = useState(() => pick(store.get()));
  useEffect(() => {
    const look = (): void =>
      setPart((before) => {
        const now = pick(store.get());
        return isSame(before, now) ? before : now;
      });
    look();
    return store.subscribe(look);
  }, [store, pick, isSame]);
  return part;
}
