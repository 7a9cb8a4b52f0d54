import type { QueueAdmin } from '../../delivery/index.js';
import type { ConversationStatus, DashboardHour, DashboardView, DeadLetterView } from '../api.js';
import { type ConversationRecord, recordOf } from './conversations/conversation-records.js';
import { DOCUMENT_KIND, type DocumentStore } from './store/index.js';
import { daysIn, startOfDay } from './time-zone.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const PAGE = 1_000;
/** Dead letters shown at most, per queue. */
const MAX_DEAD_LETTERS = 50;

/** Computes the numbers of the dashboard. */
export async function readDashboard(
  store: DocumentStore,
  queues: QueueAdmin | null,
  timeZone: string,
  now: number = Date.now(),
): Promise<DashboardView> {
  const midnight = startOfDay(daysIn(timeZone)(now), timeZone);
  // A day can have more than 24 hours.
  const records = await recordsSince(store, Math.min(midnight, now - DAY_MS));
  const today = records.filter(({ requestedAt }) => requestedAt >= midnight);
  const counts = await store.count(DOCUMENT_KIND.conversation);
  return {
    timeZone,
    waiting: counts.waiting ?? 0,
    active: counts.active ?? 0,
    handledToday: today.filter(isHandled).length,
    missedToday: today.filter(isMissed).length,
    firstReply: { p50: percentile(firstReplies(today), 0.5), p90: percentile(firstReplies(today), 0.9) },
    hours: hoursOf(records, now),
    agents: agentsOf(today, await recordsSince(store, 0, 'active')),
    dead: await deadLettersOf(queues),
  };
}

/** Reads the conversations that were requested since a time, newest first; with a state, only those in it. */
export async function recordsSince(
  store: DocumentStore,
  since: number,
  state?: ConversationStatus,
): Promise<ConversationRecord[]> {
  const records: ConversationRecord[] = [];
  let last: ConversationRecord | undefined;
  for (;;) {
    const documents = await store.list(DOCUMENT_KIND.conversation, {
      ...(state && { group: state }),
      ...(last && { belowRank: last.requestedAt, afterId: last.id }),
      limit: PAGE,
    });
    const page = documents.map(recordOf);
    records.push(...page.filter(({ requestedAt }) => requestedAt >= since));
    last = page.at(-1);
    if (!last || documents.length < PAGE || last.requestedAt < since) return records;
  }
}

/** Whether a conversation ended with a reply. */
export const isHandled = ({ ended, firstReplyAt }: ConversationRecord): boolean =>
  ended !== null && firstReplyAt !== null;
/** Whether a conversation ended without any reply. */
export const isMissed = ({ ended, firstReplyAt }: ConversationRecord): boolean =>
  ended !== null && firstReplyAt === null;

/** The times from request to first reply, in milliseconds. */
export const firstReplies = (records: readonly ConversationRecord[]): number[] =>
  records.flatMap(({ firstReplyAt, requestedAt }) =>
    // The request has the platform's time, whose clock may be ahead of this one.
    firstReplyAt === null ? [] : [Math.max(0, firstReplyAt - requestedAt)],
  );

/** The value at a percentile; `null` without values. */
export function percentile(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * share) - 1] ?? null;
}

function hoursOf(records: readonly ConversationRecord[], now: number): DashboardHour[] {
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

/** Agents with conversations of today, or with active ones of any day. */
function agentsOf(
  today: readonly ConversationRecord[],
  active: readonly ConversationRecord[],
): DashboardView['agents'] {
  const names = new Set([...today, ...active].flatMap(({ agent }) => agent ?? []));
  return [...names].sort().map((agent) => {
    const isOwn = (record: ConversationRecord): boolean => record.agent === agent;
    return {
      agent,
      active: active.filter(isOwn).length,
      handledToday: today.filter(isOwn).filter(isHandled).length,
    };
  });
}

async function deadLettersOf(queues: QueueAdmin | null): Promise<DeadLetterView[]> {
  if (!queues) return [];
  const lists = (['inbox', 'outbox'] as const).map(async (queue) => {
    const jobs = await queues.list(queue, { state: 'dead', limit: MAX_DEAD_LETTERS });
    return jobs.map(({ id, conversationId, what, attempts, error, createdAt }) => ({
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
