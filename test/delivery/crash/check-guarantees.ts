/** What was recorded. Each conversation's events are numbered from 0 and were sent one after another. */
export interface CrashRecords {
  /** Lines of the handlers: `pid begin|end|fail conversation number`. */
  readonly journal: string;
  /** How many events of each conversation were answered 200. */
  readonly accepted: ReadonlyMap<string, number>;
  /** The replies that the platform got in each conversation: numbers of events. */
  readonly replies: ReadonlyMap<string, readonly number[]>;
  /** The processes that were killed. */
  readonly killed: ReadonlySet<number>;
}

/** What the records show. */
export interface CrashResult {
  readonly accepted: number;
  readonly handled: number;
  /** Handler runs that a kill interrupted. */
  readonly cutOff: number;
  /** Handler runs that were repeated: their process was killed before it stored that they had finished. */
  readonly repeated: number;
  readonly replies: number;
  /** Replies that arrived twice: their process was killed before it got the answer. */
  readonly repliesTwice: number;
  /** Violated guarantees, in words. */
  readonly violations: readonly string[];
}

interface Line {
  readonly pid: number;
  readonly what: string;
  readonly number: number;
}

/** Checks the records against the guarantees. */
export function checkGuarantees({ journal, accepted, replies, killed }: CrashRecords): CrashResult {
  const lines = linesOf(journal);
  const violations: string[] = [];
  let handled = 0;
  let cutOff = 0;
  let repeated = 0;
  let repliesTwice = 0;

  for (const [id, count] of accepted) {
    const own = lines.get(id) ?? [];
    const ends = own.filter(({ what }) => what === 'end');
    const runs = checkRuns(id, own, killed, violations);
    handled += new Set(ends.map(({ number }) => number)).size;
    cutOff += runs.cutOff;
    repeated += checkOrder(
      `handled in ${id}`,
      ends.map(({ number }) => number),
      count,
      violations,
    );
    repliesTwice += checkOrder(`replied in ${id}`, replies.get(id) ?? [], count, violations);
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
 * One at a time: a run that begins is ended by the same process before the next begins. Only a killed process may leave
 * a run without an end, or have its last run repeated, and it writes nothing more in that conversation.
 */
function checkRuns(id: string, lines: readonly Line[], killed: ReadonlySet<number>, violations: string[]) {
  let cutOff = 0;
  const gone = new Set<number>();
  for (const [index, line] of lines.entries()) {
    const before = lines[index - 1];
    if (gone.has(line.pid))
      violations.push(`${id}: ${line.pid} still ran after another process had taken over`);
    if (line.what !== 'begin') {
      if (before?.what === 'begin' && before.pid === line.pid && before.number === line.number) continue;
      violations.push(`${id}: ${line.number} ended while another run was under way`);
      continue;
    }
    // A failed run is retried, by any process.
    if (before?.what === 'fail') continue;
    const left = before?.what === 'begin';
    if (left) cutOff += 1;
    if (!left && before?.number !== line.number) continue;
    if (!before) continue;
    gone.add(before.pid);
    if (before.pid === line.pid || !killed.has(before.pid)) {
      violations.push(
        `${id}: ${before.number} was ${left ? 'left' : 'repeated'}, but process ${before.pid} was not killed`,
      );
    }
  }
  return { cutOff };
}

/** Checks that each number comes once and in order, or again right after itself. Returns how many were repeated. */
function checkOrder(what: string, numbers: readonly number[], count: number, violations: string[]): number {
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
