import { type HistoryCounts, type HistoryOptions, type HistoryResult, runHistory } from './history.js';
import { withVirtualTime } from './virtual-time.js';

/** Lines of a trace that a failed test shows: the last ones before the first violation. */
const SHOWN_LINES = 80;

/** The first history that breaks a promise, with its trace; `null` if there is none. */
export interface Finding extends HistoryResult {
  /** How many histories were run. */
  readonly histories: number;
}

/** Runs histories with seeds from `from` on until one breaks a promise, in the way that `shows` describes. */
export async function findViolation(
  from: number,
  histories: number,
  { shows = /./, ...options }: Omit<HistoryOptions, 'seed' | 'isTraced'> & { readonly shows?: RegExp } = {},
): Promise<{ readonly found: Finding | null; readonly counts: HistoryCounts }> {
  const counts = { events: 0, replies: 0, dead: 0, deaths: 0, pauses: 0 };
  const found = await withVirtualTime(async (): Promise<Finding | null> => {
    for (let seed = from; seed < from + histories; seed += 1) {
      const result = await runHistory({ ...options, seed });
      for (const name of ['events', 'replies', 'dead', 'deaths', 'pauses'] as const)
        counts[name] += result.counts[name];
      if (result.violations.some((violation) => shows.test(violation)))
        return { ...(await runHistory({ ...options, seed, isTraced: true })), histories: seed - from + 1 };
    }
    return null;
  });
  return { found, counts };
}

/** Runs one history and keeps its trace. */
export const replay = (seed: number): Promise<HistoryResult> =>
  withVirtualTime(() => runHistory({ seed, isTraced: true }));

/** What broke, how it came to it, and how to see it again; `null` if nothing broke. */
export function explain(found: HistoryResult | null): string | null {
  if (!found) return null;
  const { seed, violations, trace } = found;
  const first = trace.findIndex((line) => line.includes('!!!'));
  const shown = trace.slice(Math.max(0, first - SHOWN_LINES), first + 1);
  return [
    `seed ${seed} breaks a promise:`,
    ...violations.map((violation) => `  ${violation}`),
    '',
    ...shown,
    '',
    `npm run simulate:faults -- --seed ${seed}`,
  ].join('\n');
}
