import { HandoffKitError } from '../../internal/index.js';

/** Rejects when a task takes too long; its later result is ignored. */
export async function inTime<Result>(task: Promise<Result>, timeoutMs: number): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const giveUp = (): void => reject(timeoutError(`the database did not answer within ${timeoutMs} ms.`));
    // If this process was paused, the answer may have arrived during the pause: it is read before `setImmediate` calls back.
    timer = setTimeout(() => setImmediate(giveUp), timeoutMs);
  });
  task.catch(() => undefined);
  try {
    return await Promise.race([task, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Limits the time of every call. A database that hangs is noticed once, and not by each caller. Its connections may be
 * dead, so `onHang` gives them up:
 *
 * ```
 *   answers ──► a call takes too long, and no other was answered since it began ──► hangs
 *      ▲                                                                             │
 *      └──────── any call is answered ◄── one call at a time is tried; the others are refused at once
 * ```
 */
export function createTimeLimit(timeoutMs: number, onHang: () => void) {
  let isHanging = false;
  let isTrying = false;
  let answeredAt = 0;

  const onAnswer = (): void => {
    answeredAt = performance.now();
    isHanging = false;
  };

  return async <Result>(call: () => Promise<Result>): Promise<Result> => {
    if (isHanging && isTrying) throw timeoutError('the database does not answer at the moment.');
    isTrying = isHanging;
    const isTry = isHanging;
    const startedAt = performance.now();
    const task = call();
    task.then(onAnswer, () => {
      // An error in time is an answer too, of the database or of the network.
      if (performance.now() - startedAt < timeoutMs) onAnswer();
    });
    try {
      return await inTime(task, timeoutMs);
    } catch (error) {
      if (isTimeout(error) && answeredAt < startedAt) {
        // Calls that began before the first one timed out say nothing about the connections made since.
        if (!isHanging || isTry) onHang();
        isHanging = true;
      }
      throw error;
    } finally {
      if (isTry) isTrying = false;
    }
  };
}

export const isTimeout = (error: unknown): boolean =>
  error instanceof HandoffKitError && error.code === 'DATABASE_TIMEOUT';

const timeoutError = (message: string): HandoffKitError => new HandoffKitError('DATABASE_TIMEOUT', message);
