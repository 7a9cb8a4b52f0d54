/** Those who want to be told of something. */
export interface Listeners<Value> {
  /** Adds a listener; the function returned removes it. */
  add: (listener: (value: Value) => void) => () => void;
  /** Tells all of them. One that throws does not keep the others from hearing. */
  tell: (value: Value) => void;
}

/** Makes an empty set of listeners. */
export function createListeners<Value>(): Listeners<Value> {
  const listeners = new Set<(value: Value) => void>();
  return {
    add(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    tell(value) {
      for (const listener of listeners) {
        try {
          listener(value);
        } catch (error) {
          // A mistake in somebody's listener is theirs to see, but not in the middle of a conversation.
          queueMicrotask(() => {
            process.emitWarning(error instanceof Error ? error : String(error));
          });
        }
      }
    },
  };
}
