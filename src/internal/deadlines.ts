/** A timeout that has not fired yet. */
export interface Deadline {
  /** Cancels it. */
  clear(): void;
}

/** Timeouts of one length. */
export interface Deadlines {
  /** Calls `onDue` after the time, unless it is cleared. Does not keep the process alive. */
  start(onDue: () => void): Deadline;
}

/** A link of the chain of deadlines. A class, so that `clear` is made once and not for each. */
class Link implements Deadline {
  before: Link | null = null;
  after: Link | null = null;
  readonly at: number;
  readonly onDue: () => void;
  readonly #chain: Chain;

  constructor(at: number, onDue: () => void, chain: Chain) {
    this.at = at;
    this.onDue = onDue;
    this.#chain = chain;
  }

  clear(): void {
    this.#chain.remove(this);
  }
}

/** Links in the order in which they fall due, which is the order in which they were made. */
class Chain {
  first: Link | null = null;
  #last: Link | null = null;

  add(link: Link): void {
    link.before = this.#last;
    if (this.#last) this.#last.after = link;
    else this.first = link;
    this.#last = link;
  }

  remove(link: Link): void {
    if (link.before) link.before.after = link.after;
    else if (this.first === link) this.first = link.after;
    else return;
    if (link.after) link.after.before = link.before;
    else this.#last = link.before;
    link.before = null;
    link.after = null;
  }
}

/**
 * Makes {@link Deadlines} that share one timer. Nearly every deadline is cleared soon after it was set, and a timer
 * for each would cost more than what it watches over.
 */
export function createDeadlines(ms: number): Deadlines {
  const chain = new Chain();
  let armed = false;

  const fire = (): void => {
    armed = false;
    const now = performance.now();
    for (let link = chain.first; link && link.at <= now; link = chain.first) {
      chain.remove(link);
      link.onDue();
    }
    arm();
  };
  const arm = (): void => {
    if (armed || !chain.first) return;
    armed = true;
    setTimeout(fire, Math.max(1, chain.first.at - performance.now())).unref();
  };

  return {
    start(onDue) {
      const link = new Link(performance.now() + ms, onDue, chain);
      chain.add(link);
      arm();
      return link;
    },
  };
}
