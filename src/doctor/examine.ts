import type { Check, Finding } from './check.js';
import { CHECKS } from './checks/index.js';
import { createSession, type ExamineOptions } from './session.js';
import { type Target, withoutSecrets } from './target.js';

/** What a check found, with what it looked for. */
export type Result = Pick<Check, 'id' | 'expects' | 'advice'> & Finding;

/** Told of what happens while it happens, and can end it. */
export interface Progress {
  /** Ends the examination after the check that runs; what was opened is closed all the same. */
  readonly signal?: AbortSignal;
  /** A check begins: the how-manieth of how many. */
  readonly begins?: (check: Pick<Check, 'id' | 'expects'>, place: number, of: number) => void;
  /** A check is done. */
  readonly done?: (result: Result) => void;
}

/** Everything an examination found. */
export interface Examination {
  readonly results: readonly Result[];
  /** How many requests were sent. */
  readonly requests: number;
  /** Handoffs it opened and could not close again, by their ids. */
  readonly leftOpen: readonly string[];
}

/** The checks that an examination of these groups makes. */
export function checksOf({ groups }: Pick<ExamineOptions, 'groups'>): readonly Check[] {
  return CHECKS.filter(({ group }) => group === undefined || groups === undefined || groups.includes(group));
}

/**
 * Plays the service against a receiver: sends it what a correct receiver takes and what it refuses, and closes
 * what it opened. Everything it sends is real to the receiver.
 */
export async function examine(
  target: Target,
  options: ExamineOptions = {},
  { begins, done, signal }: Progress = {},
): Promise<Examination> {
  const session = createSession(target, options);
  const checks = checksOf(options);
  const results: Result[] = [];
  for (const [index, { id, expects, advice, run }] of checks.entries()) {
    if (signal?.aborted) break;
    begins?.({ id, expects }, index + 1, checks.length);
    const result = { id, expects, advice, ...shown(await run(session), target) };
    results.push(result);
    done?.(result);
  }
  return { results, leftOpen: await session.tidyUp(), requests: session.requests() };
}

function shown(finding: Finding, target: Target): Finding {
  if (finding.verdict !== 'fail') return finding;
  return { ...finding, problems: finding.problems.map((problem) => withoutSecrets(problem, target)) };
}
