/** Notifies subscribers in this process of changes, and polls for changes by other processes. */
export interface Topics {
  readonly publish: (topic: string) => void;
  /** Returns a function that unsubscribes. */
  readonly subscribe: (topic: string, listener: () => void) => () => void;
  stop(): void;
}

export interface TopicOptions {
  readonly pollMs: number;
  /** Returns a different value after every change of the database. */
  readonly changeCounter: () => unknown;
  /** Called when `changeCounter` throws. */
  readonly onError: (error: unknown) => void;
}

/** Polls only while there are subscribers. */
export function createTopics({ pollMs, changeCounter, onError }: TopicOptions): Topics {
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
    publish(topic) {
      for (const listener of listeners.get(topic) ?? []) listener();
    },
    subscribe(topic, listener) {
      const topicListeners = listeners.get(topic) ?? new Set();
      listeners.set(topic, topicListeners.add(listener));
      timer ??= setInterval(poll, pollMs).unref();
      return () => void topicListeners.delete(listener);
    },
    stop() {
      clearInterval(timer);
      listeners.clear();
    },
  };
}
