/** The records. Each conversation's events are numbered from 0 and were sent one after another. */
export interface CrashRecords {
  /**
   * Lines of the handlers: `pid begin|end|fail conversation number`. When a pause ends: `pid continue`. When a process
   * logs that it was late with its lease: `pid late`.
   */
  readonly journal: string;
  /** How many events of each conversation were answered 200. */
  readonly accepted: ReadonlyMap<string, number>;
  /** The replies in each conversation: numbers of events. */
  readonly replies: ReadonlyMap<string, readonly number[]>;
  /** The processes that were killed, or paused for longer than their lease. */
  readonly disturbed: ReadonlySet<number>;
}

export interface CrashResult {
  readonly accepted: number;
  readonly handled: number;
  /** Handler runs that a kill or a pause interrupted. */
  readonly cutOff: number;
  /** Repeated handler runs: their process was killed or paused before it stored their end. */
  readonly repeated: number;
  readonly replies: number;
  /** Replies that arrived twice: their process was killed or paused before it got the answer. */
  readonly repliesTwice: number;
  /** Replies that arrived again after later replies: their process was paused while it sent them. */
  readonly repliesLate: number;
  /** How often a process that was not paused was late with its lease. */
  readonly late: number;
  /** Violated guarantees. */
  readonly violations: readonly string[];
}

interface Line {
  readonly pid: number;
  readonly what: string;
  readonly number: number;
  /** Its place in the journal. */
  readonly place: number;
}

/** Checks the records against the guarantees. */
export function checkGuarantees({ journal, accepted, replies, disturbed }: CrashRecords): CrashResult {
  const lines = linesOf(journal);
  const pauses = lines.get('') ?? [];
  const late = pauses.filter(({ pid, what }) => what === 'late' && !disturbed.has(pid));
  const disturbedOrLate = new Set([...disturbed, ...late.map(({ pid }) => pid)]);
  const violations: string[] = [];
  let handled = 0;
  let cutOff = 0;
  let repeated = 0;
  let repliesTwice = 0;
  let repliesLate = 0;

  for (const [id, count] of accepted) {
    const runs = checkRuns(id, lines.get(id) ?? [], { disturbed: disturbedOrLate, pauses }, violations);
    handled += new Set(runs.ended).size;
    cutOff += runs.cutOff;
    repeated += checkOrder(`handled in ${id}`, runs.ended, count, violations);
    const { inOrder, again } = withoutLateRepeats(replies.get(id) ?? []);
    repliesLate += again;
    repliesTwice += checkOrder(`replied in ${id}`, inOrder, count, violations);
  }
  const sum = (counts: Iterable<number>) => [...counts].reduce((total, count) => total + count, 0);
  return {
    accepted: sum(accepted.values()),
    handled,
    cutOff,
    repeated,
    replies: sum([...replies.values()].map(({ length }) => length)),
    repliesTwice,
    repliesLate,
    late: late.length,
    violations,
  };
}

function linesOf(journal: string): Map<string, Line[]> {
  const found = new Map<string, Line[]>();
  for (const [place, text] of journal.split('\n').filter(Boolean).entries()) {
    const [pid, what = '', id = '', number] = text.split(' ');
    const own = found.get(id) ?? [];
    found.set(id, own);
    own.push({ pid: Number(pid), what, number: Number(number), place });
  }
  return found;
}

const isSameRun = (one: Line | undefined, other: Line): boolean =>
  one?.pid === other.pid && one.number === other.number;

/**
 * One at a time: a run ends before the next begins. Only a killed or paused process may leave a run, or have its last run
 * repeated. A paused process may finish its running handler; it starts nothing that another process has finished.
 */
function checkRuns(
  id: string,
  lines: readonly Line[],
  { disturbed, pauses }: { readonly disturbed: ReadonlySet<number>; readonly pauses: readonly Line[] },
  violations: string[],
): { readonly cutOff: number; readonly ended: readonly number[] } {
  let cutOff = 0;
  const ended: number[] = [];
  /** Runs that another process reclaimed. */
  const left: Line[] = [];
  /** The starts of the current run, and of the last run that ended. */
  let current: Line | undefined;
  let last: Line | undefined;

  const checkTakeover = (from: Line, by: Line, what: string): void => {
    const isExpected =
      from.pid === by.pid
        ? pauses.some(({ pid, place }) => pid === from.pid && place > from.place && place < by.place)
        : disturbed.has(from.pid);
    if (isExpected) return;
    violations.push(
      `${id}: ${from.number} was ${what} by process ${by.pid}, but process ${from.pid} was neither killed nor paused nor late`,
    );
  };

  for (const line of lines) {
    if (line.what === 'begin') {
      if (current) {
        cutOff += 1;
        left.push(current);
        checkTakeover(current, line, 'left');
      } else if (last?.number === line.number) checkTakeover(last, line, 'repeated');
      if (last && line.number < last.number)
        violations.push(`${id}: ${line.pid} began ${line.number} although ${last.number} was handled`);
      current = line;
    } else if (isSameRun(current, line)) {
      if (line.what === 'end') {
        last = current;
        ended.push(line.number);
      }
      current = undefined;
    } else if (!left.some((run) => isSameRun(run, line))) {
      violations.push(`${id}: ${line.number} ended while another run was under way`);
    }
  }
  return { cutOff, ended };
}

/**
 * Separates replies that arrive again after later replies. A process that is paused between its last claim check and the
 * write to the socket sends the reply when it continues, which cannot be prevented.
 */
function withoutLateRepeats(numbers: readonly number[]): {
  readonly inOrder: readonly number[];
  readonly again: number;
} {
  let highest = -1;
  const inOrder = numbers.filter((number) => {
    const isLate = number < highest;
    highest = Math.max(highest, number);
    return !isLate;
  });
  return { inOrder, again: numbers.length - inOrder.length };
}

/** Checks that each number occurs once and in order, or is repeated at once. Returns the number of repeats. */
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
