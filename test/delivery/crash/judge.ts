/** What a judge looks at. Each conversation's events are numbered from 0 and were sent one after another. */
export interface Evidence {
  /** What handlers wrote: `pid begin|end conversation number`, line by line. */
  readonly journal: string;
  /** How many events of each conversation were answered 200. */
  readonly accepted: ReadonlyMap<string, number>;
  /** What the service was told in each conversation: the number of the event, once for each. */
  readonly replies: ReadonlyMap<string, readonly number[]>;
  /** The processes that were killed. */
  readonly killed: ReadonlySet<number>;
}

/** What came of it. */
export interface Verdict {
  readonly accepted: number;
  readonly handled: number;
  /** Handlings that a kill cut off. */
  readonly cutOff: number;
  /** Handlings that had ended, but whose process was killed before that was noted: they were repeated. */
  readonly repeated: number;
  readonly replies: number;
  /** Replies that arrived twice, since their process was killed before it heard the answer. */
  readonly repliesTwice: number;
  /** Everything that must not happen, in words. */
  readonly violations: readonly string[];
}

interface Line {
  readonly pid: number;
  readonly what: string;
  readonly number: number;
}

/** Holds what happened against the guarantees. */
export function judge({ journal, accepted, replies, killed }: Evidence): Verdict {
  const lines = linesOf(journal);
  const violations: string[] = [];
  let handled = 0;
  let cutOff = 0;
  let repeated = 0;
  let repliesTwice = 0;

  for (const [id, count] of accepted) {
    const own = lines.get(id) ?? [];
    const ends = own.filter(({ what }) => what === 'end');
    const runs = judgeRuns(id, own, killed, violations);
    handled += new Set(ends.map(({ number }) => number)).size;
    cutOff += runs.cutOff;
    repeated += judgeOrder(
      `handled in ${id}`,
      ends.map(({ number }) => number),
      count,
      violations,
    );
    repliesTwice += judgeOrder(`replied in ${id}`, replies.get(id) ?? [], count, violations);
  }
  const sum = (counts: Iterable<number>) => [...counts].reduce((total, count) => total + count, 0);
  return {
    accepted: sum(accepted.values()),
    handled,
    cutOff,
    repeated,
    replies: sum([...replies.values()].map(({ length }) => length)),
    repliesTwice,
    violations,
  };
}

function linesOf(journal: string): Map<string, Line[]> {
  const found = new Map<string, Line[]>();
  for (const text of journal.split('\n').filter(Boolean)) {
    const [pid, what = '', id = '', number] = text.split(' ');
    const own = found.get(id) ?? [];
    found.set(id, own);
    own.push({ pid: Number(pid), what, number: Number(number) });
  }
  return found;
}

/**
 * One at a time: after a beginning comes its end, by the same process. Only a process that was killed may leave one
 * without, or have its last one repeated, and such a process is never heard of again in that conversation.
 */
function judgeRuns(id: string, lines: readonly Line[], killed: ReadonlySet<number>, violations: string[]) {
  let cutOff = 0;
  const gone = new Set<number>();
  for (const [index, line] of lines.entries()) {
    const before = lines[index - 1];
    if (gone.has(line.pid)) violations.push(`${id}: ${line.pid} went on after another had taken over`);
    if (line.what === 'end') {
      if (before?.what === 'begin' && before.pid === line.pid && before.number === line.number) continue;
      violations.push(`${id}: ${line.number} ended while something else ran`);
      continue;
    }
    const left = before?.what === 'begin';
    if (left) cutOff += 1;
    if (!left && before?.number !== line.number) continue;
    if (!before) continue;
    gone.add(before.pid);
    if (before.pid === line.pid || !killed.has(before.pid)) {
      violations.push(
        `${id}: ${before.number} was ${left ? 'left' : 'repeated'}, but nobody killed ${before.pid}`,
      );
    }
  }
  return { cutOff };
}

/** Each number once and in order, or again at once; tells how many came again. */
function judgeOrder(what: string, numbers: readonly number[], count: number, violations: string[]): number {
  let expected = 0;
  let again = 0;
  for (const number of numbers) {
    if (number === expected) expected += 1;
    else if (number === expected - 1) again += 1;
    else violations.push(`${what}: ${number} where ${expected} was due`);
  }
  if (expected < count) violations.push(`${what}: ${count - expected} of ${count} are missing`);
  return again;
}
