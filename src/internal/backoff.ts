/** Bounds of an exponential backoff. */
export interface Backoff {
  /** The first delay. */
  readonly minDelayMs: number;
  /** The longest delay. */
  readonly maxDelayMs: number;
}

/** The delay after a number of attempts: doubled each time, with up to half taken off at random to spread retries. */
export function delayAfter(
  attempts: number,
  { minDelayMs, maxDelayMs }: Backoff,
  random: number = Math.random(),
): number {
  const full = Math.min(maxDelayMs, minDelayMs * 2 ** (attempts - 1));
  return Math.round(full * (0.5 + random / 2));
}
