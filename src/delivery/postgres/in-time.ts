import { HandoffKitError } from '../../internal/index.js';

/** Waits for something, but rejects when it takes longer than so long. */
export async function inTime<Result>(task: Promise<Result>, timeoutMs: number): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new HandoffKitError('DATABASE_TIMEOUT', `the database did not answer within ${timeoutMs} ms.`));
    }, timeoutMs);
  });
  // Whoever waited has been told; how it ends after all is nobody's concern.
  task.catch(() => undefined);
  try {
    return await Promise.race([task, late]);
  } finally {
    clearTimeout(timer);
  }
}
