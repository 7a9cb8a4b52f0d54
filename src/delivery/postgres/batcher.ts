import { isTimeout } from './time-limit.js';

interface Waiting<Entry, Result> {
  readonly entry: Entry;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

const BATCH_SIZE = 200;

/**
 * Group commit: calls that arrive while a batch is under way share the next one. Batches run one after another, in the
 * order of the calls, and return one result per entry.
 */
export function createBatcher<Entry, Result>(
  run: (batch: readonly Entry[]) => Promise<readonly Result[]>,
): (entry: Entry) => Promise<Result> {
  let waiting: Waiting<Entry, Result>[] = [];
  let isRunning = false;

  const rejectWaiting = (error: unknown): void => {
    for (const { reject } of waiting) reject(error);
    waiting = [];
  };

  const runAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, BATCH_SIZE);
      waiting = waiting.slice(BATCH_SIZE);
      try {
        const results = await run(batch.map(({ entry }) => entry));
        for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
      } catch (error) {
        for (const { reject } of batch) reject(error);
        // Those that have waited for it would wait as long again.
        if (isTimeout(error)) rejectWaiting(error);
      }
    }
    isRunning = false;
  };

  return (entry) =>
    new Promise((resolve, reject) => {
      waiting.push({ entry, resolve, reject });
      if (isRunning) return;
      isRunning = true;
      setImmediate(() => void runAll());
    });
}
