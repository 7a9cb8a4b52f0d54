import type { AdapterCapabilities, RateLimit } from '../adapter/adapter.js';

/** Keeps `send` within the rate limits of the helpdesk. */
export interface RateLimiter {
  /** Reserves the next free slot for a conversation, unless that slot is more than `maxWaitMs` away. */
  reserve(externalId: string, maxWaitMs: number): Promise<Reservation>;
}

/** The result of {@link RateLimiter.reserve}. */
export interface Reservation {
  /** Wait this long before sending, or before asking again when no slot was granted. Negative: the slot is past. */
  readonly waitMs: number;
  readonly granted: boolean;
  /** Whether this slot had to wait for the conversation's own limit, or uses it up. */
  readonly saturated: boolean;
}

/**
 * The slots that were granted under one limit: times in ascending order, each with the number of its slots.
 *
 * A limit of `count` per `perMs` is `count` tokens, each usable once in `perMs`. So any period of that length has at most
 * `count` slots, and all of them may be at once. A token that is not listed is free.
 */
export type RateWindow = readonly (readonly [at: number, slots: number])[];

/** The windows that one reservation concerns. */
export interface RateWindows {
  readonly overall: RateWindow;
  readonly own: RateWindow;
}

/** Times are rounded up to this part of the period, so that a window has few entries however many slots it has. */
const STEPS = 50;

/** Reserves a slot at the time `now` or later. Returns the changed windows, which are the same if none was granted. */
export function reserveSlot(
  rate: AdapterCapabilities['rate'],
  before: RateWindows,
  now: number,
  maxWaitMs: number,
): Reservation & { readonly windows: RateWindows } {
  const overall = currentWindow(before.overall, rate?.overall, now, maxWaitMs);
  const own = currentWindow(before.own, rate?.perConversation, now, maxWaitMs);
  const ownFreeAt = freeAt(own, rate?.perConversation, now);
  const slot = Math.max(ownFreeAt, freeAt(overall, rate?.overall, now));
  const waitMs = slot - now;
  const saturated = ownFreeAt > now || isLastSlot(own, rate?.perConversation, slot);
  if (waitMs > maxWaitMs) return { waitMs, granted: false, saturated, windows: before };
  const windows = {
    overall: addSlot(overall, rate?.overall, slot),
    own: addSlot(own, rate?.perConversation, slot),
  };
  return { waitMs, granted: true, saturated, windows };
}

/** Without tokens that are free again, and without those from before the clock was set back. */
function currentWindow(
  window: RateWindow,
  limit: RateLimit | undefined,
  now: number,
  maxWaitMs: number,
): RateWindow {
  if (!limit) return [];
  const latest = now + maxWaitMs + limit.perMs;
  return window.filter(([at]) => at > now - limit.perMs && at <= latest);
}

const countSlots = (window: RateWindow): number => window.reduce((sum, [, slots]) => sum + slots, 0);

/** When all tokens are in use, the first that was used is the first to be free again. */
function freeAt(window: RateWindow, limit: RateLimit | undefined, now: number): number {
  const [oldest] = window;
  if (!limit || !oldest || countSlots(window) < limit.count) return now;
  return Math.max(now, oldest[0] + limit.perMs);
}

function isLastSlot(window: RateWindow, limit: RateLimit | undefined, slot: number): boolean {
  if (!limit) return false;
  return countSlots(window.filter(([at]) => at > slot - limit.perMs)) + 1 >= limit.count;
}

function addSlot(window: RateWindow, limit: RateLimit | undefined, slot: number): RateWindow {
  if (!limit) return [];
  const slots = new Map(window);
  const [oldest] = window;
  if (oldest && countSlots(window) >= limit.count) slots.set(oldest[0], oldest[1] - 1);
  const step = Math.max(1, Math.floor(limit.perMs / STEPS));
  const at = Math.ceil(slot / step) * step;
  slots.set(at, (slots.get(at) ?? 0) + 1);
  return [...slots].filter(([, count]) => count > 0).sort(([one], [other]) => one - other);
}

/** Upper bound on remembered conversations; the least recently used is forgotten first. */
const MAX_CONVERSATIONS = 50_000;

/** Creates a {@link RateLimiter} in memory: each process counts on its own. */
export function createRateLimiter(
  rate: AdapterCapabilities['rate'],
  now: () => number = Date.now,
): RateLimiter {
  let overall: RateWindow = [];
  const perConversation = new Map<string, RateWindow>();

  const remember = (externalId: string, window: RateWindow): void => {
    if (!rate?.perConversation) return;
    perConversation.delete(externalId);
    perConversation.set(externalId, window);
    for (const [oldest] of perConversation) {
      if (perConversation.size <= MAX_CONVERSATIONS) break;
      perConversation.delete(oldest);
    }
  };

  return {
    async reserve(externalId, maxWaitMs) {
      const before = { overall, own: perConversation.get(externalId) ?? [] };
      const { windows, ...reservation } = reserveSlot(rate, before, now(), maxWaitMs);
      overall = windows.overall;
      remember(externalId, windows.own);
      return reservation;
    },
  };
}
