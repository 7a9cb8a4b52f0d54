import { configError } from '../../internal/index.js';
import type { AdapterFactory, AdapterHarness, HarnessSystem } from './harness.js';
import { type ConformanceOptions, chosenChecks, runCheck } from './run-conformance.js';

/** What a test is given by its framework; both vitest and node:test can leave a test out while it runs. */
interface TestContext {
  skip(reason?: string): void;
}

/** The functions of a test framework that the kit needs: those of vitest or of `node:test`. */
export interface TestFramework {
  readonly describe: (title: string, define: () => void) => unknown;
  readonly it: (
    title: string,
    options: { readonly timeout: number },
    run: (context: TestContext) => Promise<void>,
  ) => unknown;
}

/** Settings of {@link describeAdapter}. */
export interface DescribeAdapterOptions extends ConformanceOptions, Partial<TestFramework> {
  /** How long one check may take, in milliseconds. Default: six times the harness's patience. */
  readonly timeoutMs?: number;
}

/**
 * Makes a test of every check of the conformance kit. Each works on a system and an adapter of its own, so run
 * them one after another, which both frameworks do unless told otherwise. Checks that do not apply are left out
 * with the reason printed.
 *
 * @example
 * import { describe, it } from 'vitest'; // or from 'node:test'
 * describeAdapter(({ baseUrl }) => ourDesk({ baseUrl, token: 'kit-token' }), harness, { describe, it });
 */
export function describeAdapter<System extends HarnessSystem>(
  make: AdapterFactory<System>,
  harness: AdapterHarness<System>,
  { describe, it, timeoutMs, ...options }: DescribeAdapterOptions = {},
): void {
  const framework = { describe: describe ?? globalOf('describe'), it: it ?? globalOf('it') };
  const timeout = timeoutMs ?? 6 * (harness.stepTimeoutMs ?? 5_000);
  const checks = chosenChecks(harness, options);
  framework.describe(`the adapter for ${harness.name}`, () => {
    for (const check of checks) {
      framework.it(check.title, { timeout }, async (context) => {
        const { outcome, reason, error } = await runCheck(check, make, harness);
        if (error) throw error;
        if (outcome !== 'left-out') return;
        console.log(`left out for ${harness.name}: ${check.title}: ${reason}`);
        context.skip(reason ?? undefined);
      });
    }
  });
}

function globalOf<Name extends keyof TestFramework>(name: Name): TestFramework[Name] {
  const value: unknown = Reflect.get(globalThis, name);
  if (typeof value === 'function') return value as TestFramework[Name];
  throw configError(
    `describeAdapter found no global ${name}: pass it, as in describeAdapter(make, harness, { describe, it }) with describe and it of vitest or node:test.`,
  );
}
