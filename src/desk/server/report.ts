import { stringify } from 'csv-stringify/sync';
import type { QueueAdmin } from '../../delivery/index.js';
import type { ReportNumbers, ReportView } from '../api.js';
import type { ConversationRecord } from './conversations/conversation-records.js';
import { firstReplies, isHandled, isMissed, percentile, recordsSince } from './dashboard.js';
import type { DocumentStore } from './store/index.js';
import { dayAfter, daysIn, startOfDay } from './time-zone.js';

/** A range of days in a time zone, such as `2026-03-02`. The last day is part of it. */
export interface ReportRange {
  readonly from: string;
  readonly to: string;
  readonly timeZone: string;
}

/** Dead letters read at first, per queue; more until the range is complete. */
const DEAD_LETTERS = 1_000;

/** Computes the report of a time range. Conversations that retention has deleted are not in it. */
export async function readReport(
  store: DocumentStore,
  queues: QueueAdmin | null,
  range: ReportRange,
): Promise<ReportView> {
  const records = await recordsIn(store, range);
  const dayOf = daysIn(range.timeZone);
  const byDay = groupBy(records, ({ requestedAt }) => dayOf(requestedAt));
  const assigned = records.filter(({ agent }) => agent !== null);
  const byAgent = groupBy(assigned, ({ agent }) => agent ?? '');
  return {
    ...range,
    ...numbersOf(records),
    days: [...byDay]
      .map(([day, all]) => ({ day, ...numbersOf(all) }))
      .sort((a, b) => (a.day < b.day ? -1 : 1)),
    agents: [...byAgent]
      .map(([agent, all]) => ({ agent, ...numbersOf(all) }))
      .sort((a, b) => (a.agent < b.agent ? -1 : 1)),
    deadLetters: await countDeadLetters(queues, range),
  };
}

/** `Map.groupBy`, which Node 20 does not have. */
function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

async function recordsIn(store: DocumentStore, range: ReportRange): Promise<ConversationRecord[]> {
  const [from, to] = timesOf(range);
  return (await recordsSince(store, from)).filter(({ requestedAt }) => requestedAt < to);
}

/** The first moment of a range, and the first after it. */
const timesOf = ({ from, to, timeZone }: ReportRange): readonly [number, number] => [
  startOfDay(from, timeZone),
  startOfDay(dayAfter(to), timeZone),
];

function numbersOf(records: readonly ConversationRecord[]): ReportNumbers {
  const handled = records.filter(isHandled);
  const replies = firstReplies(records);
  const durations = handled.map(({ ended, requestedAt }) => Math.max(0, (ended?.at ?? 0) - requestedAt));
  return {
    requested: records.length,
    handled: handled.length,
    missed: records.filter(isMissed).length,
    firstReply: { p50: percentile(replies, 0.5), p90: percentile(replies, 0.9) },
    handling: { p50: percentile(durations, 0.5), p90: percentile(durations, 0.9) },
  };
}

async function countDeadLetters(queues: QueueAdmin | null, range: ReportRange): Promise<number> {
  if (!queues) return 0;
  const [from, to] = timesOf(range);
  const counts = (['inbox', 'outbox'] as const).map(async (queue) => {
    // The oldest come first.
    for (let limit = DEAD_LETTERS; ; limit *= 4) {
      const jobs = await queues.list(queue, { state: 'dead', limit });
      const created = jobs.map(({ createdAt }) => createdAt.getTime());
      if (created.length < limit || (created.at(-1) ?? 0) >= to)
        return created.filter((at) => at >= from && at < to).length;
    }
  });
  return (await Promise.all(counts)).reduce((sum, each) => sum + each, 0);
}

const COLUMNS = [
  'conversation',
  'bot',
  'agent',
  'state',
  'requested_at',
  'first_reply_at',
  'ended_at',
  'ended_by',
  'first_reply_seconds',
  'handling_seconds',
  'customer_messages',
  'priority',
  'tags',
];

/** The conversations of a time range as CSV, oldest first: no names, addresses or messages of customers. */
export async function readReportCsv(store: DocumentStore, range: ReportRange): Promise<string> {
  const records = (await recordsIn(store, range)).toReversed();
  return stringify(records.map(rowOf), {
    // Excel takes a file without it for one of an old encoding.
    bom: true,
    header: true,
    columns: COLUMNS,
    // A spreadsheet would run a text that begins like a formula.
    escape_formulas: true,
    record_delimiter: 'windows',
    eof: false,
  });
}

function rowOf(record: ConversationRecord): readonly (string | number | null)[] {
  const { conversationId, bot, agent, state, requestedAt, firstReplyAt, ended, customerMessages } = record;
  return [
    conversationId,
    bot,
    agent,
    state,
    timeOf(requestedAt),
    timeOf(firstReplyAt),
    timeOf(ended?.at ?? null),
    ended?.by ?? null,
    secondsBetween(requestedAt, firstReplyAt),
    secondsBetween(requestedAt, ended?.at ?? null),
    customerMessages,
    record.priority,
    record.tags.join(' '),
  ];
}

const timeOf = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());

const secondsBetween = (from: number, to: number | null): number | null =>
  to === null ? null : Math.max(0, Math.round((to - from) / 1_000));
