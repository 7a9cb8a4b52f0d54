import type { Shelf, StoredQueues } from '../../delivery/index.js';
import type { DashboardView, DeadView, HourView } from './api.js';
import { recordOf } from './book/change-record.js';
import { type DeskRecord, KIND } from './book/record.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const PAGE = 1_000;
/** Parked things shown at most, per queue. */
const DEAD_SHOWN = 50;

/** Looks at how the day goes. */
export async function readDashboard(
  shelf: Shelf,
  queues: StoredQueues | null,
  now: number = Date.now(),
): Promise<DashboardView> {
  const records = await recordsSince(shelf, now - DAY_MS);
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  const today = records.filter(({ requestedAt }) => requestedAt >= midnight);
  const counts = await shelf.count(KIND.conversation);
  return {
    waiting: counts.waiting ?? 0,
    active: counts.active ?? 0,
    handledToday: today.filter(isHandled).length,
    missedToday: today.filter(isMissed).length,
    firstReply: { p50: percentile(firstReplies(today), 0.5), p90: percentile(firstReplies(today), 0.9) },
    hours: hoursOf(records, now),
    agents: agentsOf(records, midnight),
    dead: await deadOf(queues),
  };
}

async function recordsSince(shelf: Shelf, since: number): Promise<DeskRecord[]> {
  const records: DeskRecord[] = [];
  let belowRank = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const docs = await shelf.list(KIND.conversation, { belowRank, limit: PAGE });
    const page = docs.map(recordOf);
    records.push(...page.filter(({ requestedAt }) => requestedAt >= since));
    const last = page.at(-1);
    if (!last || docs.length < PAGE || last.requestedAt < since) return records;
    belowRank = last.requestedAt;
  }
}

const isHandled = ({ ended, firstReplyAt }: DeskRecord): boolean => ended !== null && firstReplyAt !== null;
const isMissed = ({ ended, firstReplyAt }: DeskRecord): boolean => ended !== null && firstReplyAt === null;

const firstReplies = (records: readonly DeskRecord[]): number[] =>
  records.flatMap(({ firstReplyAt, requestedAt }) =>
    // When it was asked for is the service's time, which may be ahead of ours.
    firstReplyAt === null ? [] : [Math.max(0, firstReplyAt - requestedAt)],
  );

function percentile(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * share) - 1] ?? null;
}

function hoursOf(records: readonly DeskRecord[], now: number): HourView[] {
  const thisHour = Math.floor(now / HOUR_MS) * HOUR_MS;
  return Array.from({ length: 24 }, (_, index) => {
    const at = thisHour - (23 - index) * HOUR_MS;
    const inHour = records.filter(({ requestedAt }) => requestedAt >= at && requestedAt < at + HOUR_MS);
    return {
      at,
      requested: inHour.length,
      handled: inHour.filter(isHandled).length,
      missed: inHour.filter(isMissed).length,
      firstReplyMs: percentile(firstReplies(inHour), 0.5),
    };
  });
}

function agentsOf(records: readonly DeskRecord[], midnight: number): DashboardView['agents'] {
  const isOfToday = ({ state, requestedAt }: DeskRecord) => state === 'active' || requestedAt >= midnight;
  const current = records.filter(isOfToday);
  const names = new Set(current.flatMap(({ agent }) => agent ?? []));
  return [...names].sort().map((agent) => {
    const own = current.filter((record) => record.agent === agent);
    return {
      agent,
      active: own.filter(({ state }) => state === 'active').length,
      handledToday: own.filter(isHandled).length,
    };
  });
}

async function deadOf(queues: StoredQueues | null): Promise<DeadView[]> {
  if (!queues) return [];
  const lists = (['inbox', 'outbox'] as const).map(async (queue) => {
    const items = await queues.list(queue, { state: 'dead', limit: DEAD_SHOWN });
    return items.map(({ id, conversationId, what, attempts, error, createdAt }) => ({
      queue,
      id,
      conversationId,
      what,
      attempts,
      error,
      createdAt: createdAt.getTime(),
    }));
  });
  return (await Promise.all(lists)).flat();
}
