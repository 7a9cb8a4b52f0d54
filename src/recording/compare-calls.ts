/** A call of the platform, as it was recorded or as it came. */
export interface ComparedCall {
  readonly endpoint: string;
  readonly body: unknown;
}

/** How the calls of one conversation differ. */
export interface CallDifference {
  /** `missing`, `extra`, `changed`: another body in its place. `order`: it came at another place. */
  readonly kind: 'missing' | 'extra' | 'changed' | 'order';
  readonly endpoint: string;
  readonly recorded: unknown;
  readonly now: unknown;
}

/** Compares the calls of one conversation in their order. */
export function compareCalls(
  recorded: readonly ComparedCall[],
  now: readonly ComparedCall[],
): CallDifference[] {
  const before = recorded.map(keyOf);
  const after = now.map(keyOf);
  const kept = longestCommon(before, after);
  const gone = recorded.filter((_, index) => !kept.some(([one]) => one === index));
  const come = now.filter((_, index) => !kept.some(([, other]) => other === index));

  const differences: CallDifference[] = [];
  // The same call in both lists has another place.
  for (const call of gone.slice()) {
    const moved = come.findIndex((other) => keyOf(other) === keyOf(call));
    if (moved < 0) continue;
    come.splice(moved, 1);
    gone.splice(gone.indexOf(call), 1);
    differences.push({ kind: 'order', endpoint: call.endpoint, recorded: call.body, now: call.body });
  }
  for (const call of gone) {
    const other = come.findIndex(({ endpoint }) => endpoint === call.endpoint);
    const [changed] = other < 0 || before.includes(keyOf(come[other])) ? [] : come.splice(other, 1);
    differences.push({
      kind: changed ? 'changed' : 'missing',
      endpoint: call.endpoint,
      recorded: call.body,
      now: changed?.body ?? null,
    });
  }
  const extra = come.map(
    ({ endpoint, body }) => ({ kind: 'extra', endpoint, recorded: null, now: body }) as const,
  );
  return [...differences, ...extra];
}

const keyOf = (call: ComparedCall | undefined): string => JSON.stringify([call?.endpoint, call?.body]);

/** The places of a longest common subsequence. */
function longestCommon(one: readonly string[], other: readonly string[]): (readonly [number, number])[] {
  const lengths = Array.from({ length: one.length + 1 }, () => other.concat('').map(() => 0));
  const at = (row: number, column: number): number => lengths[row]?.[column] ?? 0;
  for (let row = one.length - 1; row >= 0; row -= 1) {
    for (let column = other.length - 1; column >= 0; column -= 1) {
      const length =
        one[row] === other[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
      lengths[row]?.splice(column, 1, length);
    }
  }
  const pairs: (readonly [number, number])[] = [];
  for (let row = 0, column = 0; row < one.length && column < other.length; ) {
    if (one[row] === other[column]) pairs.push([row++, column++]);
    else if (at(row + 1, column) >= at(row, column + 1)) row += 1;
    else column += 1;
  }
  return pairs;
}
