/** Those who want to be told of something. */
export interface Emitter<Value> {
  /** Adds a listener; the function returned removes it. */
  subscribe: (listener: (value: Value) => void) => () => void;
  /** Tells all of them. One that throws does not keep the others from hearing. */
  emit: (value: Value) => void;
}

/** Makes an empty set of listeners. */
export function createEmitter<Value>(): Emitter<Value> {
  const listeners = new Set<(value: Value) => void>();
  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    emit(value) {
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
