import { expect, it } from 'vitest';
import { explain, findViolation, replay } from './run-histories.js';

const {
  SIMULATE_SEED: seed = '',
  SIMULATE_FROM: from = '1000',
  SIMULATE_HISTORIES: histories = '500',
} = process.env;

it.runIf(seed === '')(
  `${histories} simulated histories keep every promise`,
  async () => {
    const { found } = await findViolation(Number(from), Number(histories));
    expect(explain(found)).toBeNull();
  },
  3_600_000,
);

it.runIf(seed !== '')(`the simulated history ${seed} keeps every promise`, async () => {
  const { trace, violations } = await replay(Number(seed));
  process.stdout.write(`${trace.join('\n')}\n`);
  expect(violations).toEqual([]);
});
