import type { AdapterCapabilities, RateLimit } from './adapter.js';

/** Keeps to how fast a system may be written to. Each process keeps to it by itself. */
export interface Pace {
  /**
   * Takes the next turn of a conversation. Tells how long to wait before it is used; or, where that is longer
   * than `atMostMs`, takes none and tells how long it would be.
   */
  take(externalId: string, atMostMs: number): Turn;
}

/** A turn to write. */
export interface Turn {
  readonly waitMs: number;
  readonly taken: boolean;
  /** Whether the conversation's own rate makes it wait, or is used up with it. */
  readonly crowded: boolean;
}

/** The turns that were taken, the latest last; never more than the rate's count. */
type Taken = number[];

/** Conversations remembered at most; those not written to for longest are forgotten first. */
const MOST_CONVERSATIONS = 50_000;

/** Makes {@link Pace} of an adapter's rates. */
export function createPace(rate: AdapterCapabilities['rate'], now: () => number = Date.now): Pace {
  const overall: Taken = [];
  const each = new Map<string, Taken>();

  const ownOf = (externalId: string): Taken => {
    const own = each.get(externalId) ?? [];
    each.delete(externalId);
    each.set(externalId, own);
    for (const [oldest] of each) {
      if (each.size <= MOST_CONVERSATIONS) break;
      each.delete(oldest);
    }
    return own;
  };

  return {
    take(externalId, atMostMs) {
      const at = now();
      const own = rate?.perConversation ? ownOf(externalId) : [];
      const ownFree = freeAt(own, rate?.perConversation, at);
      const from = Math.max(ownFree, freeAt(overall, rate?.overall, at));
      const waitMs = from - at;
      const crowded = ownFree > at || isLast(own, rate?.perConversation, from);
      if (waitMs > atMostMs) return { waitMs, taken: false, crowded };
      note(own, rate?.perConversation, from);
      note(overall, rate?.overall, from);
      return { waitMs, taken: true, crowded };
    },
  };
}

/** When so many have been taken, the next is free once the oldest of them is long enough ago. */
function freeAt(taken: Taken, rate: RateLimit | undefined, at: number): number {
  const oldest = taken[0];
  if (!rate || oldest === undefined || taken.length < rate.count) return at;
  return Math.max(at, oldest + rate.perMs);
}

function isLast(taken: Taken, rate: RateLimit | undefined, from: number): boolean {
  if (!rate) return false;
  return taken.filter((at) => at > from - rate.perMs).length + 1 >= rate.count;
}

function note(taken: Taken, rate: RateLimit | undefined, at: number): void {
  if (!rate) return;
  taken.push(at);
  if (taken.length > rate.count) taken.shift();
}
