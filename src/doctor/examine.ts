import type { DoctorCheck, DoctorFinding } from './check.js';
import { DOCTOR_CHECKS } from './checks/index.js';
import { createDoctorClient, type DoctorOptions } from './client.js';
import { type ReceiverTarget, redactSecrets } from './target.js';

/** What a check found, with what it looked for. */
export type DoctorResult = Pick<DoctorCheck, 'id' | 'expects' | 'advice'> & DoctorFinding;

/** Told of what happens while it happens, and can end it. */
export interface DoctorProgress {
  /** Ends the examination after the check that runs; what was opened is closed all the same. */
  readonly signal?: AbortSignal;
  /** A check begins: the how-manieth of how many. */
  readonly onCheckStart?: (check: Pick<DoctorCheck, 'id' | 'expects'>, place: number, of: number) => void;
  /** A check is done. */
  readonly onCheckDone?: (result: DoctorResult) => void;
}

/** Everything an examination found. */
export interface DoctorReport {
  readonly results: readonly DoctorResult[];
  /** How many requests were sent. */
  readonly requests: number;
  /** Handoffs it opened and could not close again, by their ids. */
  readonly leftOpen: readonly string[];
}

/** The checks that an examination of these groups makes. */
export function selectDoctorChecks({ groups }: Pick<DoctorOptions, 'groups'>): readonly DoctorCheck[] {
  return DOCTOR_CHECKS.filter(
    ({ group }) => group === undefined || groups === undefined || groups.includes(group),
  );
}

/**
 * Plays the service against a receiver: sends it what a correct receiver takes and what it refuses, and closes
 * what it opened. Everything it sends is real to the receiver.
 */
export async function examineReceiver(
  target: ReceiverTarget,
  options: DoctorOptions = {},
  { onCheckStart, onCheckDone, signal }: DoctorProgress = {},
): Promise<DoctorReport> {
  const session = createDoctorClient(target, options);
  const checks = selectDoctorChecks(options);
  const results: DoctorResult[] = [];
  for (const [index, { id, expects, advice, run }] of checks.entries()) {
    if (signal?.aborted) break;
    onCheckStart?.({ id, expects }, index + 1, checks.length);
    const result = { id, expects, advice, ...shown(await run(session), target) };
    results.push(result);
    onCheckDone?.(result);
  }
  return { results, leftOpen: await session.closeOpenHandoffs(), requests: session.requestCount() };
}

function shown(finding: DoctorFinding, target: ReceiverTarget): DoctorFinding {
  if (finding.verdict !== 'fail') return finding;
  return { ...finding, problems: finding.problems.map((problem) => redactSecrets(problem, target)) };
}
