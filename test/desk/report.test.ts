import { describe, expect, it } from 'vitest';
import type { BridgeOptions } from '../../src/bridge/index.js';
import type { DashboardView, ReportView } from '../../src/desk/api.js';
import { createConversationRecords } from '../../src/desk/server/conversations/conversation-records.js';
import { readReport } from '../../src/desk/server/report.js';
import { dayAfter, daysIn, startOfDay } from '../../src/desk/server/time-zone.js';
import { createDeskEnvironment } from './desk-environment.js';
import { sampleRecord } from './sample-record.js';

const DAY_MS = 86_400_000;
/** Midnight of the second of March in Tokyo. */
const MIDNIGHT = Date.parse('2026-03-02T00:00:00+09:00');
const HOURS: NonNullable<BridgeOptions['hours']> = { timeZone: 'Asia/Tokyo', open: { mon: ['09:00-17:00'] } };

/** A desk with four conversations of two days: three that ended, and one of another day. */
async function deskWithPast() {
  const { start } = await createDeskEnvironment({ stored: true });
  const { desk, agent, url } = await start({ bridge: { hours: HOURS } });
  const ann = await agent('ann');
  const records = createConversationRecords(desk.store);
  const past = (id: string, at: number, repliedAfter: number | null, tags: readonly string[] = []) =>
    records.add({
      record: sampleRecord(id, {
        state: 'closed',
        user: { key: id, userId: 'maria@example.com', anonymousId: null, email: null, phone: null },
        agent: repliedAfter === null ? null : 'ann',
        requestedAt: at,
        firstReplyAt: repliedAfter === null ? null : at + repliedAfter,
        ended: { by: 'agent', at: at + 600_000, agent: null },
        tags,
      }),
      events: [],
    });
  await past('before', MIDNIGHT - 1, 1_000);
  await past('one', MIDNIGHT, 10_000, ['=cmd()', 'a,"b']);
  await past('two', MIDNIGHT + 1_000, 30_000);
  await past('missed', MIDNIGHT + DAY_MS, null);
  return { ann, desk, url, past };
}

describe('a report', () => {
  it('counts the conversations of a range, by day and by agent', async () => {
    const { ann } = await deskWithPast();
    const { body } = await ann.get<ReportView>('/api/report?from=2026-03-02&to=2026-03-03');
    expect(body).toMatchObject({
      requested: 3,
      handled: 2,
      missed: 1,
      firstReply: { p50: 10_000, p90: 30_000 },
      handling: { p50: 600_000, p90: 600_000 },
      days: [
        { day: '2026-03-02', requested: 2, handled: 2, missed: 0 },
        { day: '2026-03-03', requested: 1, handled: 0, missed: 1, firstReply: { p50: null } },
      ],
      agents: [{ agent: 'ann', handled: 2 }],
      deadLetters: 0,
      timeZone: 'Asia/Tokyo',
    });
    expect((await ann.get<DashboardView>('/api/dashboard')).body.timeZone).toBe('Asia/Tokyo');
  });

  it('has the days of the time zone, also where a clock is changed', () => {
    expect(daysIn('Asia/Tokyo')(MIDNIGHT)).toBe('2026-03-02');
    expect(daysIn('Asia/Tokyo')(MIDNIGHT - 1)).toBe('2026-03-01');
    expect(startOfDay('2026-03-02', 'Asia/Tokyo')).toBe(MIDNIGHT);
    const hoursOf = (day: string, zone: string) =>
      (startOfDay(dayAfter(day), zone) - startOfDay(day, zone)) / 3_600_000;
    expect([hoursOf('2026-03-29', 'Europe/Berlin'), hoursOf('2026-10-25', 'Europe/Berlin')]).toEqual([
      23, 25,
    ]);
    // In Cuba, clocks go forward at midnight: the day begins at one.
    expect(new Date(startOfDay('2026-03-08', 'America/Havana')).toISOString()).toBe(
      '2026-03-08T05:00:00.000Z',
    );
    expect(startOfDay('2026-01-01', 'Pacific/Kiritimati')).toBe(Date.parse('2025-12-31T10:00:00Z'));
  });

  it('counts all conversations of one moment, however many', async () => {
    const { ann, past } = await deskWithPast();
    const ids = Array.from({ length: 1_001 }, (_, nth) => `same ${nth}`);
    for (const id of ids) await past(id, MIDNIGHT + 5 * DAY_MS, null);
    const { body } = await ann.get<ReportView>('/api/report?from=2026-03-07&to=2026-03-07');
    expect(body.requested).toBe(ids.length);
  }, 60_000);

  it('counts dead letters after the first thousand', async () => {
    const { desk } = await deskWithPast();
    const dead = [...Array(1_500).fill(MIDNIGHT - DAY_MS), ...Array(3).fill(MIDNIGHT)];
    const list = async (queue: string, { limit = 0 } = {}) =>
      queue === 'outbox' ? dead.slice(0, limit).map((at) => ({ createdAt: new Date(at) })) : [];
    const range = { from: '2026-03-02', to: '2026-03-02', timeZone: 'Asia/Tokyo' };
    const queues = { list } as unknown as Parameters<typeof readReport>[1];
    expect((await readReport(desk.store, queues, range)).deadLetters).toBe(3);
  });

  it('is available as CSV, without data of customers and without formulas', async () => {
    const { ann, url } = await deskWithPast();
    const path = '/api/report.csv?from=2026-03-02&to=2026-03-02';
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
    expect(headers.get('content-disposition')).toContain('conversations 2026-03-02 to 2026-03-02.csv');
    // Excel needs the byte-order mark, which `text()` removes.
    const raw = await fetch(`${url}/desk${path}`, { headers: { cookie: ann.cookie } });
    expect([...new Uint8Array(await raw.arrayBuffer()).slice(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
  });

  it('needs a range', async () => {
    const { ann } = await deskWithPast();
    for (const query of [
      '',
      '?from=2026-03-02',
      '?from=2026-03-02&to=2026-03-01',
      '?from=2020-01-01&to=2026-03-02',
      '?from=2026-02-30&to=2026-03-02',
      '?from=x&to=y',
    ])
      expect((await ann.get(`/api/report${query}`)).status, query).toBe(400);
  });
});
