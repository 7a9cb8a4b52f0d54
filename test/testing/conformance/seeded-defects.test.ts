import { afterAll, describe, it } from 'vitest';
import { tinyDesk } from '../../../examples/custom-adapter/adapter.js';
import { harness, settingsFor } from '../../../examples/custom-adapter/harness.js';
import { type ConformanceResult, conformanceChecks, runConformance } from '../../../src/testing/index.js';
import { ADAPTER_DEFECTS, tidy } from './adapter-defects.js';
import type { Defect } from './defect-tools.js';
import { PATH_DEFECTS } from './path-defects.js';

const DEFECTS = { ...ADAPTER_DEFECTS, ...PATH_DEFECTS };

/** Failures wait it out. */
const impatient = { ...harness, patienceMs: 4_000 };

afterAll(tidy);

/** Runs one check on the reference adapter with a defect. */
async function judged(id: string, { change }: Pick<Defect, 'change'>): Promise<ConformanceResult> {
  const run = runConformance(
    (site) => {
      const good = tinyDesk(settingsFor(site));
      return { ...good, ...change(good, site) };
    },
    impatient,
    { only: [id] },
  );
  for await (const result of run) return result;
  throw new Error(`there is no check ${id}`);
}

describe('the conformance kit', () => {
  it('has a seeded defect for each of its checks', ({ expect }) => {
    expect(Object.keys(DEFECTS)).toEqual(conformanceChecks.map(({ id }) => id));
  });

  const table = Object.entries(DEFECTS).map(([id, defect]) => ({ id, ...defect }));
  // Side by side: most of them wait for what does not come.
  it.concurrent.for(table)('fails $id where $what', async ({ id, ...defect }, { expect }) => {
    const result = await judged(id, defect);
    expect(result).toMatchObject({ id, outcome: 'failed', error: { code: 'NOT_CONFORMING' } });
    const [title, happened, ...rest] = result.error?.message.split('\n') ?? [];
    expect(title).toBe(`${result.title} (${id})`);
    expect(happened).toMatch(/^What happened: /);
    expect(happened).toMatch(defect.tells);
    expect(rest.join('\n')).toMatch(/^What was expected: .+\nWhat to do: .+/);
  });
});
