import { expect, it } from 'vitest';
import { explain, findViolation } from '../simulation/run-histories.js';

it('finds no broken promise in a few histories', async () => {
  const { found } = await findViolation(1, 6);
  expect(explain(found)).toBeNull();
});
