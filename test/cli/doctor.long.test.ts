import { describe, expect, it } from 'vitest';
import { MISTAKES } from '../fixtures/wrong-receiver-mistakes.js';
import { checksAgainst } from './diagnose.js';

describe('the doctor, with a receiver that was not made with this package', () => {
  it.each(MISTAKES)('finds the mistake %s', async (mistake, checks) => {
    expect(await checksAgainst(mistake)).toEqual(checks);
  });
});
