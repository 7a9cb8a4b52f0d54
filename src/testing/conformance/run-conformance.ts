import { AdapterError } from '../../bridge/index.js';
import { configError } from '../../internal/index.js';
import type { ConformanceCheck } from './check-context.js';
import { createCheckContext } from './check-context.js';
import { allChecks } from './checks/index.js';
import { CheckFailure, ConformanceError, describeError, NotApplicableError } from './failures.js';
import type { AdapterFactory, AdapterHarness, HarnessHelpdesk } from './harness.js';

/** The result of one check. */
export interface ConformanceResult {
  /** The id of the check, for `only` and `unsupported`. */
  readonly id: string;
  /** The requirement as a sentence. */
  readonly title: string;
  /** `skipped`: the helpdesk lacks a feature that the check needs. */
  readonly outcome: 'passed' | 'failed' | 'skipped';
  /** Why it was skipped, else `null`. */
  readonly reason: string | null;
  /** The failure and its remedy, else `null`. */
  readonly error: ConformanceError | null;
}

export interface ConformanceOptions {
  /** Run only the checks with these ids. */
  readonly only?: readonly string[];
}

/** Id and title of every check, in the order in which they run. */
export const conformanceChecks: readonly Pick<ConformanceCheck, 'id' | 'title'>[] = allChecks.map(
  ({ id, title }) => ({
    id,
    title,
  }),
);

/** Features that `agent` implements with a method of the same name. */
const AGENT_FEATURES = ['note', 'close', 'replyAndClose', 'join', 'name', 'attach'];
const FEATURES = [...AGENT_FEATURES, 'signature', 'signedBody', 'signedTime'];

/**
 * Runs the conformance checks one at a time and yields each result.
 *
 * @example
 * for await (const { title, outcome, error } of runConformance(ourDesk, harness)) {
 *   console.log(outcome, title, error?.message ?? '');
 * }
 */
export async function* runConformance<System extends HarnessHelpdesk>(
  createAdapter: AdapterFactory<System>,
  harness: AdapterHarness<System>,
  options: ConformanceOptions = {},
): AsyncGenerator<ConformanceResult, void> {
  for (const check of selectConformanceChecks(harness, options))
    yield await runConformanceCheck(check, createAdapter, harness);
}

/** The checks to run. Unknown names in `unsupported` and `only` throw: they would skip checks unnoticed. */
function selectConformanceChecks(
  { unsupported = {} }: Pick<AdapterHarness, 'unsupported'>,
  { only }: ConformanceOptions,
): readonly ConformanceCheck[] {
  const ids = allChecks.map(({ id }) => id);
  for (const [name, reason] of Object.entries(unsupported)) {
    if (!ids.includes(name) && !FEATURES.includes(name))
      throw configError(
        `unsupported.${name} is neither the id of a check nor one of ${FEATURES.join(', ')}.`,
      );
    if (reason.trim() === '')
      throw configError(`unsupported.${name} must be the reason, which the results show.`);
  }
  const unknown = only?.filter((id) => !ids.includes(id)) ?? [];
  if (unknown.length > 0)
    throw configError(`unknown check ${unknown.join(', ')}. Known checks: ${ids.join(', ')}.`);
  return only ? allChecks.filter(({ id }) => only.includes(id)) : allChecks;
}

/** Never rejects. */
async function runConformanceCheck<System extends HarnessHelpdesk>(
  check: ConformanceCheck,
  createAdapter: AdapterFactory<System>,
  harness: AdapterHarness<System>,
): Promise<ConformanceResult> {
  const { id, title } = check;
  const reason = skipReason(check, harness);
  if (reason !== null) return { id, title, outcome: 'skipped', reason, error: null };
  try {
    await runInContext(check, createAdapter, harness);
    return { id, title, outcome: 'passed', reason: null, error: null };
  } catch (error) {
    if (error instanceof NotApplicableError)
      return { id, title, outcome: 'skipped', reason: error.message, error: null };
    return { id, title, outcome: 'failed', reason: null, error: toConformanceError(check, error) };
  }
}

function skipReason(
  { id, needs = [] }: ConformanceCheck,
  { unsupported = {} }: AdapterHarness,
): string | null {
  for (const name of [id, ...needs]) {
    const reason = unsupported[name];
    if (reason !== undefined) return reason;
  }
  return null;
}

async function runInContext<System extends HarnessHelpdesk>(
  check: ConformanceCheck,
  createAdapter: AdapterFactory<System>,
  harness: AdapterHarness<System>,
): Promise<void> {
  const context = await createCheckContext(createAdapter, harness);
  try {
    for (const feature of check.needs ?? []) {
      if (!(feature in context.helpdesk.agent) && AGENT_FEATURES.includes(feature))
        throw new CheckFailure(
          `the harness has no agent.${feature}, and unsupported.${feature} does not say why.`,
        );
    }
    await check.run(context);
  } finally {
    await context.cleanUp();
  }
}

function toConformanceError(
  { id, title, expected, advice }: ConformanceCheck,
  error: unknown,
): ConformanceError {
  const happened =
    error instanceof CheckFailure
      ? error.message
      : `the check was interrupted: ${describeError(error)}${hint(error)}`;
  const lines = [
    `${title} (${id})`,
    `What happened: ${happened}`,
    `What was expected: ${expected}`,
    `What to do: ${advice}`,
  ];
  return new ConformanceError('NOT_CONFORMING', lines.join('\n'), { cause: error });
}

const hint = (error: unknown): string =>
  error instanceof AdapterError ? '' : ' (thrown by the adapter or the harness; the cause has its stack)';

/** The test context of vitest and node:test; both can skip a running test. */
interface FrameworkTestContext {
  skip(reason?: string): void;
}

/** The functions of a test framework that the kit uses: those of vitest or `node:test`. */
export interface TestFramework {
  readonly describe: (title: string, define: () => void) => unknown;
  readonly it: (
    title: string,
    options: { readonly timeout: number },
    run: (context: FrameworkTestContext) => Promise<void>,
  ) => unknown;
}

export interface DescribeAdapterOptions extends ConformanceOptions, Partial<TestFramework> {
  /** The timeout of one check in milliseconds. Default: six times `stepTimeoutMs` of the harness. */
  readonly timeoutMs?: number;
}

/**
 * Defines a test for every conformance check. Each test starts its own helpdesk and adapter, so run them one at a
 * time, which is the default of both frameworks. Checks that do not apply are skipped, with the reason printed.
 *
 * @example
 * import { describe, it } from 'vitest'; // or from 'node:test'
 * describeAdapter(({ baseUrl }) => ourDesk({ baseUrl, token: 'kit-token' }), harness, { describe, it });
 */
export function describeAdapter<System extends HarnessHelpdesk>(
  createAdapter: AdapterFactory<System>,
  harness: AdapterHarness<System>,
  { describe, it, timeoutMs, ...options }: DescribeAdapterOptions = {},
): void {
  const framework = { describe: describe ?? globalOf('describe'), it: it ?? globalOf('it') };
  const timeout = timeoutMs ?? 6 * (harness.stepTimeoutMs ?? 5_000);
  const checks = selectConformanceChecks(harness, options);
  framework.describe(`the adapter for ${harness.name}`, () => {
    for (const check of checks) {
      framework.it(check.title, { timeout }, async (context) => {
        const { outcome, reason, error } = await runConformanceCheck(check, createAdapter, harness);
        if (error) throw error;
        if (outcome !== 'skipped') return;
        console.log(`skipped for ${harness.name}: ${check.title}: ${reason}`);
        context.skip(reason ?? undefined);
      });
    }
  });
}

function globalOf<Name extends keyof TestFramework>(name: Name): TestFramework[Name] {
  const value: unknown = Reflect.get(globalThis, name);
  if (typeof value === 'function') return value as TestFramework[Name];
  throw configError(
    `describeAdapter found no global ${name}: pass the functions of vitest or node:test, as in describeAdapter(createAdapter, harness, { describe, it }).`,
  );
}
