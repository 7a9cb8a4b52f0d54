import {
  type ConversationRecord,
  createConversationRecords,
} from '../../src/desk/server/conversations/conversation-records.js';
import type { DocumentStore } from '../../src/desk/server/store/index.js';

const HOUR_MS = 3_600_000;

/** The 23 hours before the current one: conversations handled and missed, and the time to the first reply. */
export const SAMPLE_DAY: readonly {
  readonly handled: number;
  readonly missed: number;
  readonly waitedS: number;
}[] = [
  ...quiet(4),
  { handled: 2, missed: 0, waitedS: 40 },
  { handled: 4, missed: 1, waitedS: 48 },
  { handled: 7, missed: 0, waitedS: 31 },
  { handled: 9, missed: 1, waitedS: 27 },
  { handled: 6, missed: 2, waitedS: 52 },
  { handled: 5, missed: 0, waitedS: 24 },
  { handled: 3, missed: 0, waitedS: 19 },
  { handled: 1, missed: 1, waitedS: 35 },
  ...quiet(5),
  { handled: 1, missed: 0, waitedS: 14 },
  { handled: 3, missed: 0, waitedS: 22 },
  { handled: 4, missed: 1, waitedS: 38 },
  { handled: 6, missed: 0, waitedS: 25 },
  { handled: 5, missed: 1, waitedS: 33 },
  { handled: 2, missed: 0, waitedS: 17 },
];

function quiet(hours: number) {
  return Array.from({ length: hours }, () => ({ handled: 0, missed: 0, waitedS: 0 }));
}

/** Stores the conversations of {@link SAMPLE_DAY}. */
export async function writeSampleDay(store: DocumentStore): Promise<void> {
  const records = createConversationRecords(store);
  const first = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - SAMPLE_DAY.length * HOUR_MS;
  const past = SAMPLE_DAY.flatMap(({ handled, missed, waitedS }, hour) =>
    Array.from({ length: handled + missed }, (_, index) => ({
      at: first + hour * HOUR_MS + index * 60_000,
      waitedMs: index < handled ? waitedS * 1_000 : null,
    })),
  );
  for (const [index, { at, waitedMs }] of past.entries())
    await records.add({ record: pastRecord(index, at, waitedMs), events: [] });
}

function pastRecord(index: number, requestedAt: number, waitedMs: number | null): ConversationRecord {
  const id = `past-${index}`;
  const user = { key: id, userId: `customer-${index}`, anonymousId: null, email: null, phone: null };
  const by = waitedMs === null ? 'timeout' : 'agent';
  const agent = waitedMs === null ? null : ['ann', 'bob'][index % 2];
  return {
    id,
    conversationId: id,
    bot: 'default',
    state: 'closed',
    user,
    agent: agent ?? null,
    team: null,
    offer: null,
    preferredAgent: null,
    declined: [],
    mentions: {},
    requestedAt,
    replyBy: requestedAt + 60_000,
    firstReplyAt: waitedMs === null ? null : requestedAt + waitedMs,
    ended: { by, at: requestedAt + 300_000, agent: agent ?? null },
    last: { from: 'customer', text: 'Thank you!', at: requestedAt + 240_000 },
    tags: [],
    priority: 'normal',
    snoozedUntil: null,
    customerMessages: 1,
    read: {},
    botId: null,
    transcript: [],
    recent: [],
  };
}
