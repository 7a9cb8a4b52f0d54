interface Emitter<Value> {
  /** Adds a listener. The returned function removes it. */
  subscribe: (listener: (value: Value) => void) => () => void;
  /** Calls every listener. A listener that throws does not stop the others. */
  emit: (value: Value) => void;
}

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
          // A failing listener must not break the emitting conversation: its error becomes a process warning.
          queueMicrotask(() => {
            process.emitWarning(error instanceof Error ? error : String(error));
          });
        }
      }
    },
  };
}
