import { describe, expect, it } from 'vitest';
import type { ReportView } from '../../src/desk/api.js';
import { createConversationRecords } from '../../src/desk/server/conversations/conversation-records.js';
import { createDeskEnvironment } from './desk-environment.js';

const DAY_MS = 86_400_000;
const MIDNIGHT = new Date(2026, 2, 2).getTime();

/** A desk with four conversations of two days: three that ended, and one of another day. */
async function deskWithPast() {
  const { start } = await createDeskEnvironment({ stored: true });
  const { desk, agent } = await start();
  const ann = await agent('ann');
  const records = createConversationRecords(desk.store);
  const past = (id: string, at: number, repliedAfter: number | null, tags: readonly string[] = []) =>
    records.add({
      record: {
        id,
        conversationId: id,
        bot: 'default',
        state: 'closed',
        user: { key: id, userId: 'maria@example.com', anonymousId: null, email: null, phone: null },
        agent: repliedAfter === null ? null : 'ann',
        team: null,
        offer: null,
        preferredAgent: null,
        declined: [],
        mentions: {},
        requestedAt: at,
        replyBy: null,
        firstReplyAt: repliedAfter === null ? null : at + repliedAfter,
        ended: { by: 'agent', at: at + 600_000, agent: null },
        last: null,
        tags,
        priority: 'normal',
        snoozedUntil: null,
        customerMessages: 1,
        read: {},
        botId: null,
        transcript: [],
        recent: [],
      },
      events: [],
    });
  await past('before', MIDNIGHT - 1, 1_000);
  await past('one', MIDNIGHT, 10_000, ['=cmd()', 'a,"b']);
  await past('two', MIDNIGHT + 1_000, 30_000);
  await past('missed', MIDNIGHT + DAY_MS, null);
  return ann;
}

describe('a report', () => {
  it('counts the conversations of a range, by day and by agent', async () => {
    const ann = await deskWithPast();
    const { body } = await ann.get<ReportView>(`/api/report?from=${MIDNIGHT}&to=${MIDNIGHT + 2 * DAY_MS}`);
    expect(body).toMatchObject({
      requested: 3,
      handled: 2,
      missed: 1,
      firstReply: { p50: 10_000, p90: 30_000 },
      handling: { p50: 600_000, p90: 600_000 },
      days: [
        { at: MIDNIGHT, requested: 2, handled: 2, missed: 0 },
        { requested: 1, handled: 0, missed: 1, firstReply: { p50: null } },
      ],
      agents: [{ agent: 'ann', handled: 2 }],
      deadLetters: 0,
    });
  });

  it('is available as CSV, without data of customers and without formulas', async () => {
    const ann = await deskWithPast();
    const path = `/api/report.csv?from=${MIDNIGHT}&to=${MIDNIGHT + DAY_MS}`;
    const { headers, body } = await ann.get<string>(path);
    expect(headers.get('content-type')).toContain('text/csv');
    expect(headers.get('content-disposition')).toContain('attachment');
    const [header, ...rows] = body.split('\r\n');
    expect(header).toMatch(/^conversation,bot,agent,state,requested_at/);
    const at = new Date(MIDNIGHT).toISOString();
    expect(rows[0]).toContain(`one,default,ann,closed,${at},`);
    expect(rows[0]).toMatch(/,10,600,1,normal,"'=cmd\(\) a,""b"$/);
    expect(rows).toHaveLength(2);
    expect(body).not.toContain('maria');
  });

  it('needs a range', async () => {
    const ann = await deskWithPast();
    for (const query of ['', '?from=1', '?from=2&to=1', '?from=0&to=9e15', '?from=x&to=y'])
      expect((await ann.get(`/api/report${query}`)).status, query).toBe(400);
  });
});
