import { vi } from 'vitest';

/** Long enough for a busy machine. */
const WITHIN_MS = 30_000;

/** Repeats a check until it stops throwing, and resolves to its value. */
export const eventually = <Value>(check: () => Value | Promise<Value>): Promise<Value> =>
  vi.waitFor(check, { timeout: WITHIN_MS, interval: 20 });
