/** What {@link createHands} needs. */
export interface HandsParts<Item> {
  /** How many items are worked on side by side. */
  readonly concurrency: number;
  /** Works on an item, and says when it is over. */
  readonly work: (item: Item, over: () => void) => void;
  /** Leaves an item that was begun to others. */
  readonly giveBack: (item: Item) => void;
}

/** Who works on items: each hand on one at a time. */
export interface Hands<Item> {
  /** How many more items may be begun in the database. */
  room(): number;
  /** Whether a hand is free for which nothing waits. */
  isFree(): boolean;
  /** Works on an item as soon as a hand is free, or gives it back. */
  begin(item: Item): void;
  /** Gives back what waits for a hand, and whatever still comes. */
  stop(): void;
}

/**
 * So many items for each hand are begun in the database while hands are free, where items take no longer than
 * `QUICK_MS`: hands would be done with all they have before the disk is done with the next.
 */
const AHEAD = 8;
const QUICK_MS = 5;

/** How much one item counts in what items take. */
const WEIGHT = 1 / 16;

/** What waits for a hand is given back when none was free for so long: another process may have one. */
const PATIENCE_MS = 100;

/** Makes {@link Hands}. */
export function createHands<Item>({ concurrency, work, giveBack }: HandsParts<Item>): Hands<Item> {
  let busy = 0;
  /** What was begun and waits for a hand. */
  let ready: Item[] = [];
  let patience: NodeJS.Timeout | undefined;
  /** Whether a hand was free since patience was last asked for. */
  let moved = false;
  let handingOut = false;
  /** What items take lately. Before the first nobody knows. */
  let itemMs = 2 * QUICK_MS;
  let stopped = false;

  const workOn = (item: Item): void => {
    const startedAt = performance.now();
    work(item, () => {
      itemMs += (performance.now() - startedAt - itemMs) * WEIGHT;
      busy -= 1;
      moved = true;
      handOut();
    });
  };

  /** Gives free hands to what waits for them. An item may be over at once and come here again: that changes nothing. */
  const handOut = (): void => {
    if (handingOut) return;
    handingOut = true;
    while (busy < concurrency) {
      const item = ready.shift();
      if (!item) break;
      busy += 1;
      workOn(item);
    }
    handingOut = false;
  };

  const giveAllBack = (): void => {
    const items = ready;
    ready = [];
    for (const item of items) giveBack(item);
  };

  const losePatience = (): void => {
    patience = undefined;
    if (!moved) giveAllBack();
    else if (ready.length > 0) bePatient();
  };

  const bePatient = (): void => {
    moved = false;
    patience = setTimeout(losePatience, PATIENCE_MS);
  };

  return {
    room() {
      if (stopped || busy >= concurrency) return 0;
      return concurrency * (itemMs < QUICK_MS ? AHEAD : 1) - busy - ready.length;
    },
    isFree: () => busy < concurrency && ready.length === 0,
    begin(item) {
      if (stopped) {
        giveBack(item);
        return;
      }
      ready.push(item);
      handOut();
      if (ready.length > 0 && !patience) bePatient();
    },
    stop() {
      stopped = true;
      clearTimeout(patience);
      giveAllBack();
    },
  };
}
