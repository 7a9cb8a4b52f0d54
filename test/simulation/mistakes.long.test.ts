import { describe, expect, it, vi } from 'vitest';
import { MISTAKES } from './mistakes.js';
import { findViolation } from './run-histories.js';

vi.mock('../../src/delivery/lease-renewal.js', async (load) =>
  (await import('./parts.js')).replaceable(await load<object>()),
);
vi.mock('../../src/delivery/worker.js', async (load) =>
  (await import('./parts.js')).replaceable(await load<object>()),
);

/** Most mistakes are found much sooner. */
const MAX_HISTORIES = 500;

describe('a simulation of faults finds a mistake:', () => {
  it.each(MISTAKES)(
    '$name',
    async ({ name, made, shows }) => {
      const { found } = await findViolation(1, MAX_HISTORIES, { mistakes: made, shows });
      expect(found).not.toBeNull();
      process.stdout.write(`${name}: ${found?.histories} histories\n`);
      // Hundreds of histories take minutes on a busy machine.
    },
    900_000,
  );
});
