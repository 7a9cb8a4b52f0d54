/** How waits grow from attempt to attempt. */
export interface Backoff {
  /** The first wait. */
  readonly minDelayMs: number;
  /** The longest wait. */
  readonly maxDelayMs: number;
}

/** The wait after so many attempts: doubled each time, cut by up to half at random so that many do not return at once. */
export function delayAfter(attempts: number, { minDelayMs, maxDelayMs }: Backoff): number {
  const full = Math.min(maxDelayMs, minDelayMs * 2 ** (attempts - 1));
  return Math.round(full * (0.5 + Math.random() / 2));
}
