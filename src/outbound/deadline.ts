/** How a deadline ended what it watched. */
export type DeadlineEnd = 'timeout' | 'aborted';

/** A limit of time that the caller can also end. */
export interface Deadline {
  /** Aborts when the time is up or the caller gives up. */
  readonly signal: AbortSignal;
  /** How it ended, or `null` while it runs. */
  ended(): DeadlineEnd | null;
  /** Does a piece of work unless the deadline has ended, and rejects when it ends before the work is done. */
  within<Value>(work: () => Promise<Value>): Promise<Value>;
  /** Stops the timer and lets go of the caller's signal. */
  clear(): void;
}

/**
 * Starts a deadline. It keeps its own account of who ended it, because a signal made by joining two does not
 * tell, and it holds a caller's long-lived signal no longer than one exchange takes.
 */
export function createDeadline(timeoutMs: number, caller?: AbortSignal): Deadline {
  const controller = new AbortController();
  const { signal } = controller;
  let how: DeadlineEnd | null = null;

  const end = (reason: DeadlineEnd): void => {
    how ??= reason;
    controller.abort();
  };
  const abort = (): void => end('aborted');
  const cut = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  cut.catch(() => undefined);

  const timer = setTimeout(() => end('timeout'), timeoutMs);
  caller?.addEventListener('abort', abort, { once: true });
  if (caller?.aborted) abort();

  return {
    signal,
    ended: () => how,
    async within(work) {
      signal.throwIfAborted();
      return Promise.race([work(), cut]);
    },
    clear() {
      clearTimeout(timer);
      caller?.removeEventListener('abort', abort);
    },
  };
}
