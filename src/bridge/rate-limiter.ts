import type { AdapterCapabilities, RateLimit } from './adapter.js';

/** Keeps `send` within the rate limits of the helpdesk. Each process counts on its own. */
export interface RateLimiter {
  /** Reserves the next free slot for a conversation, unless that slot is more than `maxWaitMs` away. */
  reserve(externalId: string, maxWaitMs: number): Reservation;
}

/** The result of {@link RateLimiter.reserve}. */
export interface Reservation {
  /** Wait this long before sending, or before asking again when no slot was granted. */
  readonly waitMs: number;
  readonly granted: boolean;
  /** Whether this slot had to wait for the conversation's own limit, or uses it up. */
  readonly saturated: boolean;
}

/** Times of granted slots, the latest last; at most `RateLimit.count` of them. */
type Slots = number[];

/** Upper bound on remembered conversations; the least recently used is forgotten first. */
const MAX_CONVERSATIONS = 50_000;

/** Creates a {@link RateLimiter} with sliding windows. */
export function createRateLimiter(
  rate: AdapterCapabilities['rate'],
  now: () => number = Date.now,
): RateLimiter {
  const overall: Slots = [];
  const perConversation = new Map<string, Slots>();

  const slotsOf = (externalId: string): Slots => {
    const slots = perConversation.get(externalId) ?? [];
    perConversation.delete(externalId);
    perConversation.set(externalId, slots);
    for (const [oldest] of perConversation) {
      if (perConversation.size <= MAX_CONVERSATIONS) break;
      perConversation.delete(oldest);
    }
    return slots;
  };

  return {
    reserve(externalId, maxWaitMs) {
      const at = now();
      const own = rate?.perConversation ? slotsOf(externalId) : [];
      const ownFreeAt = freeAt(own, rate?.perConversation, at);
      const slot = Math.max(ownFreeAt, freeAt(overall, rate?.overall, at));
      const waitMs = slot - at;
      const saturated = ownFreeAt > at || isLastSlot(own, rate?.perConversation, slot);
      if (waitMs > maxWaitMs) return { waitMs, granted: false, saturated };
      addSlot(own, rate?.perConversation, slot);
      addSlot(overall, rate?.overall, slot);
      return { waitMs, granted: true, saturated };
    },
  };
}

/** With a full window, the next slot is free when the oldest one leaves the window. */
function freeAt(slots: Slots, rate: RateLimit | undefined, at: number): number {
  const oldest = slots[0];
  if (!rate || oldest === undefined || slots.length < rate.count) return at;
  return Math.max(at, oldest + rate.perMs);
}

function isLastSlot(slots: Slots, rate: RateLimit | undefined, slot: number): boolean {
  if (!rate) return false;
  return slots.filter((at) => at > slot - rate.perMs).length + 1 >= rate.count;
}

function addSlot(slots: Slots, rate: RateLimit | undefined, at: number): void {
  if (!rate) return;
  slots.push(at);
  if (slots.length > rate.count) slots.shift();
}
