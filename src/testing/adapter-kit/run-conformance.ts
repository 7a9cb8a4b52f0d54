import { AdapterError } from '../../bridge/index.js';
import { configError } from '../../internal/index.js';
import { type Check, NotApplicable } from './check.js';
import { allChecks } from './checks/index.js';
import { ConformanceError, Finding, saying } from './failure.js';
import type { AdapterFactory, AdapterHarness, HarnessSystem } from './harness.js';
import { createRig } from './rig.js';

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
export const conformanceChecks: readonly Pick<Check, 'id' | 'title'>[] = allChecks.map(({ id, title }) => ({
  id,
  title,
}));

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
  for (const check of chosenChecks(harness, options)) yield await runCheck(check, make, harness);
}

/** The checks to run. Refuses names that no check and no piece has: they would leave something out unnoticed. */
export function chosenChecks(
  { unsupported = {} }: Pick<AdapterHarness, 'unsupported'>,
  { only }: ConformanceOptions,
): readonly Check[] {
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
export async function runCheck<System extends HarnessSystem>(
  check: Check,
  make: AdapterFactory<System>,
  harness: AdapterHarness<System>,
): Promise<ConformanceResult> {
  const { id, title } = check;
  const reason = reasonToLeaveOut(check, harness);
  if (reason !== null) return { id, title, outcome: 'left-out', reason, error: null };
  try {
    await judge(check, make, harness);
    return { id, title, outcome: 'passed', reason: null, error: null };
  } catch (error) {
    if (error instanceof NotApplicable)
      return { id, title, outcome: 'left-out', reason: error.message, error: null };
    return { id, title, outcome: 'failed', reason: null, error: told(check, error) };
  }
}

function reasonToLeaveOut({ id, needs = [] }: Check, { unsupported = {} }: AdapterHarness): string | null {
  for (const name of [id, ...needs]) {
    const reason = unsupported[name];
    if (reason !== undefined) return reason;
  }
  return null;
}

async function judge<System extends HarnessSystem>(
  check: Check,
  make: AdapterFactory<System>,
  harness: AdapterHarness<System>,
): Promise<void> {
  const rig = await createRig(make, harness);
  try {
    for (const piece of check.needs ?? []) {
      if (!(piece in rig.system.agent) && isAct(piece))
        throw new Finding(`the harness has no agent.${piece}, and does not say in unsupported.${piece} why.`);
    }
    await check.run(rig);
  } finally {
    await rig.end();
  }
}

const isAct = (piece: string): boolean => ['note', 'close', 'replyAndClose', 'join'].includes(piece);

function told({ id, title, expected, advice }: Check, error: unknown): ConformanceError {
  const happened =
    error instanceof Finding ? error.message : `the check could not go on: ${saying(error)}${hint(error)}`;
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
