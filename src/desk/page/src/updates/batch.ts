/**
 * Collects items and applies them together, at most once per interval; the first after a pause at once.
 *
 * @example
 * const add = batch(50, (updates) => store.update((state) => withUpdates(state, updates)));
 */
export function batch<Item>(everyMs: number, apply: (items: readonly Item[]) => void): (item: Item) => void {
  let collected: Item[] = [];
  let isScheduled = false;
  let appliedAt = 0;
  const flush = (): void => {
    const items = collected;
    collected = [];
    isScheduled = false;
    appliedAt = performance.now();
    apply(items);
  };
  return (item) => {
    collected.push(item);
    if (isScheduled) return;
    const waitMs = appliedAt + everyMs - performance.now();
    if (appliedAt === 0 || waitMs <= 0) return flush();
    isScheduled = true;
    setTimeout(flush, waitMs);
  };
}
