import { describe, expect, it } from 'vitest';
import { MISTAKES } from './mistakes.js';
import { findViolation } from './run-histories.js';

/** Most mistakes are found much sooner. */
const MAX_HISTORIES = 1_500;

describe('a simulation of faults finds a mistake:', () => {
  it.each(MISTAKES)('$name', async ({ made, shows, from = 1 }) => {
    const { found } = await findViolation(from, MAX_HISTORIES, { mistakes: made, shows });
    expect(found).not.toBeNull();
  });
});
