/** Counts tasks under way. */
export interface TaskCounter {
  enter(): void;
  leave(): void;
  /** Resolves when no task is under way. */
  idle(): Promise<void>;
  readonly count: number;
}

export function createTaskCounter(): TaskCounter {
  let count = 0;
  let waiting: (() => void)[] = [];
  return {
    enter() {
      count += 1;
    },
    leave() {
      count -= 1;
      if (count > 0) return;
      const woken = waiting;
      waiting = [];
      for (const wake of woken) wake();
    },
    idle: () => (count === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
    get count() {
      return count;
    },
  };
}

/** Waits for a promise for a limited time. Resolves to whether it settled in time. */
export async function settlesWithin(done: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), timeoutMs);
  });
  try {
    return await Promise.race([done.then(() => true), timeout]);
  } finally {
    clearTimeout(timer);
  }
}
