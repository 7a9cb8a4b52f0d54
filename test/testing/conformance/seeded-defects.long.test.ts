import { afterAll, describe, it } from 'vitest';
import { tinyDesk } from '../../../examples/custom-adapter/adapter.js';
import { harness, settingsFor } from '../../../examples/custom-adapter/harness.js';
import { type ConformanceResult, conformanceChecks, runConformance } from '../../../src/testing/index.js';
import { ADAPTER_DEFECTS, clearIntervals } from './adapter-defects.js';
import type { Defect } from './defect-tools.js';
import { FULL_STACK_DEFECTS } from './full-stack-defects.js';

const DEFECTS = { ...ADAPTER_DEFECTS, ...FULL_STACK_DEFECTS };

/** Most expected failures wait this long; earlier steps must not take longer, even on a slow machine. */
const STEP_TIMEOUT_MS = 15_000;
/** A hanging request ends after some seconds; a defect that waits for it must be detected before. */
const HANGING_TIMEOUT_MS = 4_000;
const timeout = 8 * STEP_TIMEOUT_MS;

afterAll(clearIntervals);

/** Runs one check on the reference adapter with a defect. */
async function runWithDefect(
  id: string,
  { change, catchesUp = false }: Pick<Defect, 'change' | 'catchesUp'>,
): Promise<ConformanceResult> {
  const run = runConformance(
    (site) => {
      const whole = tinyDesk(settingsFor(site));
      const ordered = { ...whole, capabilities: { ...whole.capabilities, unordered: false } };
      if (!catchesUp) Reflect.deleteProperty(ordered, 'catchUp');
      const good = catchesUp ? whole : ordered;
      return { ...good, ...change(good, site) };
    },
    { ...harness, stepTimeoutMs: id.startsWith('hanging') ? HANGING_TIMEOUT_MS : STEP_TIMEOUT_MS },
    { only: [id] },
  );
  for await (const result of run) return result;
  throw new Error(`unknown check ${id}`);
}

describe('the conformance kit', () => {
  it('has seeded defects for every check', ({ expect }) => {
    expect(Object.keys(DEFECTS)).toEqual(conformanceChecks.map(({ id }) => id));
  });

  const table = Object.entries(DEFECTS).flatMap(([id, defects]) =>
    [defects].flat().map((defect) => ({ id, ...defect })),
  );
  // Concurrent, because most of them wait for a timeout.
  it.concurrent.for(table)('fails $id if $name', { timeout }, async ({ id, ...defect }, { expect }) => {
    const result = await runWithDefect(id, defect);
    expect(result).toMatchObject({ id, outcome: 'failed', error: { code: 'NOT_CONFORMING' } });
    const [title, happened, ...rest] = result.error?.message.split('\n') ?? [];
    expect(title).toBe(`${result.title} (${id})`);
    expect(happened).toMatch(/^What happened: /);
    expect(happened).toMatch(defect.failure);
    expect(rest.join('\n')).toMatch(/^What was expected: .+\nWhat to do: .+/);
  });
});
