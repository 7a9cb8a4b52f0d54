import type { DoctorCheck, DoctorFinding, DoctorLevel } from './check.js';
import { DOCTOR_CHECKS } from './checks/index.js';
import { createDoctorClient, type DoctorClient, type DoctorOptions } from './client.js';
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
  const unreachable = await findUnreachable(client);
  if (unreachable !== null) {
    onCheckDone?.(unreachable);
    return { results: [unreachable], leftOpen: [], requests: client.requestCount() };
  }
  for (const [index, { id, level, expects, advice, run }] of checks.entries()) {
    if (signal?.aborted) break;
    onCheckStart?.({ id, expects }, index + 1, checks.length);
    const result = { id, level, expects, advice, ...verdictOf(level, await run(client), target) };
    results.push(result);
    onCheckDone?.(result);
  }
  return { results, leftOpen: await client.closeOpenHandoffs(), requests: client.requestCount() };
}

/** A failure in place of all checks if no endpoint is there: their advice would not fit. */
async function findUnreachable(client: DoctorClient): Promise<DoctorResult | null> {
  const answers = await client.wellFormedAnswers();
  const [first] = answers;
  if (first === undefined || !answers.every(({ status }) => status === first.status)) return null;
  if (first.status !== null && first.status !== 404) return null;
  const problem =
    first.status === null
      ? `no answer: ${first.error ?? 'the connection failed'}`
      : 'HTTP 404 to every request: nothing is at this path';
  const advice =
    first.status === null
      ? 'Start the receiver, or correct the host and port of --receiver-url. The other checks were not run.'
      : 'Correct the path of --receiver-url, such as /webhook, or --handoff-url and --handoff-token. The other checks were not run.';
  return {
    id: 'reachable',
    level: 'required',
    expects: 'answers at the given URL',
    advice,
    verdict: 'fail',
    problems: [redactSecrets(problem, client.target)],
  };
}

function verdictOf(level: DoctorLevel, finding: DoctorFinding, target: ReceiverTarget): DoctorVerdict {
  if (finding.verdict !== 'fail') return finding;
  const problems = finding.problems.map((problem) => redactSecrets(problem, target));
  return { verdict: level === 'advice' ? 'advice' : 'fail', problems };
}
