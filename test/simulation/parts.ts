import type { startLeaseRenewal } from '../../src/delivery/lease-renewal.js';
import type { createWorker } from '../../src/delivery/worker.js';

/** Parts inside the delivery that a mistake may replace. Each gets the real one. */
export interface Parts {
  readonly startLeaseRenewal?: (real: typeof startLeaseRenewal) => typeof startLeaseRenewal;
  readonly createWorker?: (real: typeof createWorker) => typeof createWorker;
}

type Part = (...args: unknown[]) => unknown;

let current: Parts = {};

/** Replaces parts from now on, in a test whose modules are {@link replaceable}. */
export function replaceParts(parts: Parts): void {
  current = parts;
}

/** A module whose functions can be replaced; for `vi.mock`. */
export const replaceable = (module: object): object =>
  Object.fromEntries(
    Object.entries(module as Record<string, Part>).map(([name, real]) => [
      name,
      (...args: unknown[]) => {
        const replace = (current as Record<string, ((real: Part) => Part) | undefined>)[name];
        return (replace?.(real) ?? real)(...args);
      },
    ]),
  );
