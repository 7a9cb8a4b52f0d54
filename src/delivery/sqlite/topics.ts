interface TopicOptions {
  readonly pollMs: number;
  /** Returns a different value after every change of the database. */
  readonly changeCounter: () => unknown;
  readonly onError: (error: unknown) => void;
}

/** Notifies subscribers in this process of changes, and polls for changes by others while it has subscribers. */
export function createTopics({ pollMs, changeCounter, onError }: TopicOptions) {
  const listeners = new Map<string, Set<() => void>>();
  let timer: NodeJS.Timeout | undefined;
  let lastCount: unknown;

  const hasChanged = (): boolean => {
    const before = lastCount;
    try {
      lastCount = changeCounter();
    } catch (error) {
      // In a timer: an uncaught error would end the process.
      onError(error);
    }
    return lastCount !== before;
  };

  const poll = (): void => {
    if (!hasChanged()) return;
    for (const topic of listeners.values()) for (const listener of topic) listener();
  };

  return {
    publish: (topic: string): void => {
      for (const listener of listeners.get(topic) ?? []) listener();
    },
    /** Returns a function that unsubscribes. */
    subscribe: (topic: string, listener: () => void): (() => void) => {
      const topicListeners = listeners.get(topic) ?? new Set();
      listeners.set(topic, topicListeners.add(listener));
      timer ??= setInterval(poll, pollMs).unref();
      return () => void topicListeners.delete(listener);
    },
    stop(): void {
      clearInterval(timer);
      listeners.clear();
    },
  };
}
