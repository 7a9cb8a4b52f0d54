import { AdapterError } from '../../bridge/index.js';
import { configError } from '../../internal/index.js';
import {
  CheckFailure,
  type ConformanceCheck,
  ConformanceError,
  describeError,
  NotApplicableError,
} from './check.js';
import { createCheckContext } from './check-context.js';
import { allChecks } from './checks/index.js';
import type { AdapterFactory, AdapterHarness, HarnessSystem } from './harness.js';

/** What one check came to. */
export interface ConformanceResult {
  /** The check's id, as `only` and `unsupported` name it. */
  readonly id: string;
  /** What holds for an adapter that conforms. */
  readonly title: string;
  /** `left-out`: the system lacks what the check needs. */
  readonly outcome: 'passed' | 'failed' | 'left-out';
  /** Why it was left out, else `null`. */
  readonly reason: string | null;
  /** What is wrong and what to do about it, else `null`. */
  readonly error: ConformanceError | null;
}

/** Settings of a run. */
export interface ConformanceOptions {
  /** Only the checks of these ids. */
  readonly only?: readonly string[];
}

/** The checks that the kit has, by id and title, in the order in which they run. */
export const conformanceChecks: readonly Pick<ConformanceCheck, 'id' | 'title'>[] = allChecks.map(
  ({ id, title }) => ({
    id,
    title,
  }),
);

const PIECES = ['note', 'close', 'replyAndClose', 'join', 'signature', 'signedBody', 'signedTime'];

/**
 * Runs the checks one after another and tells what each came to.
 *
 * @example
 * for await (const { title, outcome, error } of runConformance(ourDesk, harness)) {
 *   console.log(outcome, title, error?.message ?? '');
 * }
 */
export async function* runConformance<System extends HarnessSystem>(
  make: AdapterFactory<System>,
  harness: AdapterHarness<System>,
  options: ConformanceOptions = {},
): AsyncGenerator<ConformanceResult, void> {
  for (const check of selectConformanceChecks(harness, options))
    yield await runConformanceCheck(check, make, harness);
}

/** The checks to run. Refuses names that no check and no piece has: they would leave something out unnoticed. */
export function selectConformanceChecks(
  { unsupported = {} }: Pick<AdapterHarness, 'unsupported'>,
  { only }: ConformanceOptions,
): readonly ConformanceCheck[] {
  const ids = allChecks.map(({ id }) => id);
  for (const [name, reason] of Object.entries(unsupported)) {
    if (!ids.includes(name) && !PIECES.includes(name))
      throw configError(
        `unsupported names ${name}, which is neither a check nor one of ${PIECES.join(', ')}.`,
      );
    if (reason.trim() === '')
      throw configError(`unsupported.${name} must say why, for those who read the results.`);
  }
  const unknown = only?.filter((id) => !ids.includes(id)) ?? [];
  if (unknown.length > 0)
    throw configError(`there is no check ${unknown.join(', ')}. There are ${ids.join(', ')}.`);
  return only ? allChecks.filter(({ id }) => only.includes(id)) : allChecks;
}

/** Runs one check. Never rejects. */
export async function runConformanceCheck<System extends HarnessSystem>(
  check: ConformanceCheck,
  make: AdapterFactory<System>,
  harness: AdapterHarness<System>,
): Promise<ConformanceResult> {
  const { id, title } = check;
  const reason = reasonToLeaveOut(check, harness);
  if (reason !== null) return { id, title, outcome: 'left-out', reason, error: null };
  try {
    await runInContext(check, make, harness);
    return { id, title, outcome: 'passed', reason: null, error: null };
  } catch (error) {
    if (error instanceof NotApplicableError)
      return { id, title, outcome: 'left-out', reason: error.message, error: null };
    return { id, title, outcome: 'failed', reason: null, error: toConformanceError(check, error) };
  }
}

function reasonToLeaveOut(
  { id, needs = [] }: ConformanceCheck,
  { unsupported = {} }: AdapterHarness,
): string | null {
  for (const name of [id, ...needs]) {
    const reason = unsupported[name];
    if (reason !== undefined) return reason;
  }
  return null;
}

async function runInContext<System extends HarnessSystem>(
  check: ConformanceCheck,
  make: AdapterFactory<System>,
  harness: AdapterHarness<System>,
): Promise<void> {
  const context = await createCheckContext(make, harness);
  try {
    for (const piece of check.needs ?? []) {
      if (!(piece in context.system.agent) && isAct(piece))
        throw new CheckFailure(
          `the harness has no agent.${piece}, and does not say in unsupported.${piece} why.`,
        );
    }
    await check.run(context);
  } finally {
    await context.cleanUp();
  }
}

const isAct = (piece: string): boolean => ['note', 'close', 'replyAndClose', 'join'].includes(piece);

function toConformanceError(
  { id, title, expected, advice }: ConformanceCheck,
  error: unknown,
): ConformanceError {
  const happened =
    error instanceof CheckFailure
      ? error.message
      : `the check could not go on: ${describeError(error)}${hint(error)}`;
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
  const checks = selectConformanceChecks(harness, options);
  framework.describe(`the adapter for ${harness.name}`, () => {
    for (const check of checks) {
      framework.it(check.title, { timeout }, async (context) => {
        const { outcome, reason, error } = await runConformanceCheck(check, make, harness);
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
