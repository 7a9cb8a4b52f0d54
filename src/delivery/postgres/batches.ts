/** What {@link createBatches} needs. */
export interface BatchParts<Entry, Result> {
  /** Does a batch; gives a result for each entry, in their order. */
  readonly run: (batch: readonly Entry[]) => Promise<readonly Result[]>;
  /** What no two entries of a batch may share; the later one waits for the next batch. */
  readonly distinct: (entry: Entry) => readonly string[];
}

interface Waiting<Entry, Result> {
  readonly entry: Entry;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** More would make one statement too long. */
const AT_ONCE = 200;

/**
 * Does things in batches: while one is under way, what comes gathers for the next, so that many share one
 * commit. Entries are done in the order they came, as far as they share something.
 */
export function createBatches<Entry, Result>({ run, distinct }: BatchParts<Entry, Result>) {
  let waiting: Waiting<Entry, Result>[] = [];
  let busy = false;

  const take = (): Waiting<Entry, Result>[] => {
    const taken = new Set<string>();
    const batch: Waiting<Entry, Result>[] = [];
    const rest: Waiting<Entry, Result>[] = [];
    for (const each of waiting) {
      const marks = distinct(each.entry);
      const fits = batch.length < AT_ONCE && !marks.some((mark) => taken.has(mark));
      (fits ? batch : rest).push(each);
      for (const mark of marks) taken.add(mark);
    }
    waiting = rest;
    return batch;
  };

  const work = async (): Promise<void> => {
    busy = true;
    while (waiting.length > 0) {
      const batch = take();
      try {
        const results = await run(batch.map(({ entry }) => entry));
        for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    busy = false;
  };

  return (entry: Entry): Promise<Result> =>
    new Promise((resolve, reject) => {
      waiting.push({ entry, resolve, reject });
      if (!busy) {
        busy = true;
        setImmediate(() => void work());
      }
    });
}
