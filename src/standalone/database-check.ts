import type { StoredQueues } from '../delivery/index.js';
import { type Log, within } from '../internal/index.js';

/** Tells whether the database can be reached and written. */
export type DatabaseCheck = () => Promise<boolean>;

/** A database that takes longer than this is as good as none to whoever asks. */
const TIMEOUT_MS = 2_000;

/**
 * Makes a check that something can be stored. Whoever asks while a check is under way waits for that one, so that a
 * database that hangs gets no heap of them. The log says when the answer changes.
 */
export function createDatabaseCheck(
  queues: Pick<StoredQueues, 'check'>,
  log: Log,
  timeoutMs = TIMEOUT_MS,
): DatabaseCheck {
  let asking: Promise<boolean> | undefined;
  let reachable = true;

  const tell = (now: boolean, err?: unknown): boolean => {
    if (reachable && !now) log.error({ err }, 'the database cannot be used: not ready');
    if (!reachable && now) log.info({}, 'the database can be used again');
    reachable = now;
    return now;
  };

  const ask = async (): Promise<boolean> => {
    try {
      await queues.check();
      return tell(true);
    } catch (error) {
      return tell(false, error);
    } finally {
      asking = undefined;
    }
  };

  return async () => {
    asking ??= ask();
    const answer = asking;
    return (await within(answer, timeoutMs)) ? answer : tell(false);
  };
}
