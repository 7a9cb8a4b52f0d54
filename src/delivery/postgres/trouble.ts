import type { Log } from '../../internal/index.js';

/** Tells of trouble with the database, once in a while. */
export interface Trouble {
  /** Hears of a failure. */
  (error: unknown): void;
  /** When the last failure was, or 0. */
  lastAt(): number;
}

/** During an outage everything fails many times a second; one line in this time is enough. */
const SAY_EVERY_MS = 10_000;

/** Makes a {@link Trouble}. It says what failed, and never what was to be stored. */
export function createTrouble(log: () => Log | undefined): Trouble {
  let lastAt = 0;
  let saidAt = 0;
  let unsaid = 0;
  const hear = (error: unknown): void => {
    const now = Date.now();
    lastAt = now;
    unsaid += 1;
    if (now - saidAt < SAY_EVERY_MS) return;
    log()?.error({ ...reasonOf(error), failures: unsaid }, 'the database cannot be used: trying again');
    saidAt = now;
    unsaid = 0;
  };
  return Object.assign(hear, { lastAt: () => lastAt });
}

/** An error of the database may carry the row that it was about; its code and its first words do not. */
function reasonOf(error: unknown): { reason: string; code: string | null } {
  if (!(error instanceof Error)) return { reason: 'unknown', code: null };
  const nested = error instanceof AggregateError ? (error.errors[0] as unknown) : undefined;
  const { message } = nested instanceof Error ? nested : error;
  return { reason: message.slice(0, 200), code: 'code' in error ? String(error.code) : null };
}
