import type { Log } from '../internal/index.js';

/** During an outage there are many errors a second; one line per interval is enough. */
const INTERVAL_MS = 10_000;

/** Logs errors of the database, at most one line in ten seconds, with the number of errors since the last. */
export function createThrottledLog(log: () => Log | undefined): (error: unknown) => void {
  let loggedAt = Number.NEGATIVE_INFINITY;
  let failures = 0;
  return (error) => {
    failures += 1;
    const now = performance.now();
    if (now - loggedAt < INTERVAL_MS) return;
    log()?.error({ ...describe(error), failures }, 'the database cannot be used: trying again');
    loggedAt = now;
    failures = 0;
  };
}

/** Details of database errors may contain rows; the code and the start of the message do not. */
function describe(error: unknown): { reason: string; code: string | null } {
  if (!(error instanceof Error)) return { reason: 'unknown', code: null };
  const nested = error instanceof AggregateError ? (error.errors[0] as unknown) : undefined;
  const { message } = nested instanceof Error ? nested : error;
  return { reason: message.slice(0, 200), code: 'code' in error ? String(error.code) : null };
}
