import type { DoctorCheck, DoctorFinding, DoctorLevel } from './check.js';
import { DOCTOR_CHECKS } from './checks/index.js';
import { createDoctorClient, type DoctorOptions } from './client.js';
import { type ReceiverTarget, redactSecrets } from './target.js';

/** Only required checks can fail; the rest is advice. */
export type DoctorVerdict =
  | DoctorFinding
  | { readonly verdict: 'advice'; readonly problems: readonly string[] };

export type DoctorResult = Pick<DoctorCheck, 'id' | 'level' | 'expects' | 'advice'> & DoctorVerdict;

/** Callbacks and cancellation of a running examination. */
export interface DoctorProgress {
  /** Stops after the running check. Open handoffs are still closed. */
  readonly signal?: AbortSignal;
  /** Called before a check, with its number and the total. */
  readonly onCheckStart?: (
    check: Pick<DoctorCheck, 'id' | 'expects'>,
    position: number,
    total: number,
  ) => void;
  /** Called after a check. */
  readonly onCheckDone?: (result: DoctorResult) => void;
}

export interface DoctorReport {
  readonly results: readonly DoctorResult[];
  /** The number of requests sent. */
  readonly requests: number;
  /** The ids of handoffs that were opened and could not be closed. */
  readonly leftOpen: readonly string[];
}

/** The checks that apply to the given groups. */
export function selectDoctorChecks({ groups }: Pick<DoctorOptions, 'groups'>): readonly DoctorCheck[] {
  return DOCTOR_CHECKS.filter(
    ({ group }) => group === undefined || groups === undefined || groups.includes(group),
  );
}

/**
 * Plays the platform: sends requests that a correct receiver accepts and requests that it should refuse, then closes the
 * handoffs it opened. The receiver handles all of them as real events.
 */
export async function examineReceiver(
  target: ReceiverTarget,
  options: DoctorOptions = {},
  { onCheckStart, onCheckDone, signal }: DoctorProgress = {},
): Promise<DoctorReport> {
  const client = createDoctorClient(target, options);
  const checks = selectDoctorChecks(options);
  const results: DoctorResult[] = [];
  for (const [index, { id, level, expects, advice, run }] of checks.entries()) {
    if (signal?.aborted) break;
    onCheckStart?.({ id, expects }, index + 1, checks.length);
    const result = { id, level, expects, advice, ...verdictOf(level, await run(client), target) };
    results.push(result);
    onCheckDone?.(result);
  }
  return { results, leftOpen: await client.closeOpenHandoffs(), requests: client.requestCount() };
}

function verdictOf(level: DoctorLevel, finding: DoctorFinding, target: ReceiverTarget): DoctorVerdict {
  if (finding.verdict !== 'fail') return finding;
  const problems = finding.problems.map((problem) => redactSecrets(problem, target));
  return { verdict: level === 'advice' ? 'advice' : 'fail', problems };
}
