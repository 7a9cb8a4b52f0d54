import { describe, expect, it } from 'vitest';
import type { CannedList, DashboardView } from '../../src/desk/api.js';
import { createSessions, SESSION_MS } from '../../src/desk/server/agents/sessions.js';
import { readDashboard } from '../../src/desk/server/dashboard.js';
import { startDeskRetention } from '../../src/desk/server/retention.js';
import { createMemoryDocumentStore } from '../../src/desk/server/store/memory-document-store.js';
import { silentLog } from '../../src/internal/index.js';
import { clientOf, eventually } from './agent-client.js';
import { createDeskEnvironment, deskWithHandoff } from './desk-environment.js';

describe('the desk stores', () => {
  it('canned replies for all agents, across restarts', async () => {
    const { start } = await createDeskEnvironment({ stored: true });
    const instance = await start();
    const ann = await instance.agent('ann');
    const first = (await ann.get<CannedList>('/api/canned')).body;
    expect(first.replies.length).toBeGreaterThan(0);
    const replies = [{ id: 'bye', title: 'Bye', text: 'Goodbye, {user}.' }];
    const saved = await ann.send('PUT', '/api/canned', { ...first, replies });
    expect([saved.status, saved.body]).toEqual([200, { replies, version: 1 }]);
    const empty = { replies: [{ id: '', title: '', text: '' }], version: 1 };
    expect((await ann.send('PUT', '/api/canned', empty)).status).toBe(400);
    await instance.stop();
    const again = await clientOf((await start()).url, ann.cookie);
    expect((await again.get('/api/canned')).body).toEqual({ replies, version: 1 });
    expect((await again.state()).canned).toEqual({ replies, version: 1 });
  });

  it('no canned replies over those of another agent', async () => {
    const { start } = await createDeskEnvironment();
    const instance = await start();
    const [ann, bob] = [await instance.agent('ann'), await instance.agent('bob')];
    const { body: list } = await ann.get<CannedList>('/api/canned');
    const ofBob = { ...list, replies: [{ id: 'b', title: "Bob's", text: 'Hi.' }] };
    expect((await bob.send('PUT', '/api/canned', ofBob)).status).toBe(200);
    const refused = await ann.send('PUT', '/api/canned', { ...list, replies: [] });
    expect([refused.status, refused.body]).toMatchObject([409, { code: 'CANNED_CHANGED' }]);
    expect((await ann.get<CannedList>('/api/canned')).body.replies).toEqual(ofBob.replies);
  });

  it('the numbers of the dashboard', async () => {
    const { bench, instance, ann, id } = await deskWithHandoff();
    await ann.say(id, 'Hello.');
    await bench.nextReply();
    await ann.act(id, 'close', {});
    await bench.requestHandoff();
    await bench.closeByUser();
    const held = await ann.idOf((await bench.requestHandoff()).id);
    await ann.act(held, 'claim', {});
    await bench.requestHandoff();
    await eventually(async () => expect((await ann.state()).counts.closed).toBe(2));
    const { body } = await ann.get<DashboardView>('/api/dashboard');
    expect(body).toMatchObject({ waiting: 1, active: 1, handledToday: 1, missedToday: 1, dead: [] });
    expect(body.agents).toEqual([{ agent: 'ann', active: 1, handledToday: 1 }]);
    expect(body.firstReply.p50).toBeGreaterThanOrEqual(0);
    expect(body.hours).toHaveLength(24);
    expect(body.hours.reduce((sum, { requested }) => sum + requested, 0)).toBe(4);
    // Two days later, none of it is of today.
    const later = await readDashboard(
      instance.desk.store,
      instance.receiver.storage.queues,
      'UTC',
      Date.now() + 2 * 86_400_000,
    );
    expect(later).toMatchObject({ waiting: 1, active: 1, handledToday: 0, missedToday: 0 });
    // Ann still has the one that she claimed.
    expect(later.agents).toEqual([{ agent: 'ann', active: 1, handledToday: 0 }]);
    expect(later.firstReply).toEqual({ p50: null, p90: null });
  });

  it('nothing about a user who was forgotten, except in the audit log', async () => {
    const { bench, instance, ann } = await deskWithHandoff({ stored: true });
    const handoff = await bench.requestHandoff({ user: { userId: 'forget-me', email: 'me@example.com' } });
    const id = await ann.idOf(handoff.id);
    await bench.say('My words.');
    await ann.say(id, 'Our words.');
    await bench.nextReply();
    await ann.act(id, 'note', { messageId: 'n1', text: 'A note.' });
    const { store } = instance.desk;
    expect(await instance.receiver.storage.queues?.forget('forget-me')).toBeGreaterThan(0);
    expect((await ann.get(`/api/conversations/${id}`)).status).toBe(404);
    expect((await ann.state()).conversations.map((each) => each.id)).not.toContain(id);
    const entries = await store.read({ limit: 10_000, topics: ['conversation'] });
    expect(JSON.stringify(entries)).not.toMatch(/My words|Our words|A note|forget-me|me@example/);
    expect(await store.list('outgoing', { limit: 100 })).toEqual([]);
    const lines = await instance.audit();
    expect(
      lines.filter(({ conversationId }) => conversationId === handoff.id).map(({ action }) => action),
    ).toEqual(['reply', 'note']);
    expect(JSON.stringify(lines)).not.toMatch(/words|note\.|forget-me|example/);
  });

  it('closed conversations for keepDays, and open ones until they close', async () => {
    const { bench, instance, ann, id } = await deskWithHandoff({ stored: true });
    await ann.say(id, 'Hello.');
    await ann.act(id, 'close', {});
    await eventually(() => expect(bench.conversation.endedBy).toBe('agent'));
    const open = await ann.idOf((await bench.requestHandoff()).id);
    const { store } = instance.desk;
    const parts = { store, sessions: createSessions(store, { idleMs: 1_000 }), log: silentLog };
    await eventually(async () => expect(await store.list('outgoing', { group: 'open' })).toEqual([]));

    const anHour = startDeskRetention({ ...parts, keepMs: 3_600_000 });
    await anHour.run();
    anHour.stop();
    expect((await ann.conversation(id)).summary.id).toBe(id);

    const noTime = startDeskRetention({ ...parts, keepMs: -1_000 });
    await Promise.all([noTime.run(), noTime.run()]);
    noTime.stop();
    expect((await ann.get(`/api/conversations/${id}`)).status).toBe(404);
    expect((await ann.conversation(open)).summary.id).toBe(open);
    expect(await store.list('outgoing')).toEqual([]);
  });

  it('sessions for twelve hours at most, however busy the agent is', async () => {
    const store = createMemoryDocumentStore();
    let now = Date.now();
    const sessions = createSessions(store, { idleMs: SESSION_MS, now: () => now });
    const cookie = await sessions.start({ agentId: 'ann', passwordVersion: 'v1', from: '', browser: '' });
    const hours: number[] = [];
    for (let hour = 1; hour <= 14; hour += 1) {
      now += SESSION_MS / 12;
      const session = await sessions.find(cookie);
      if (!session) continue;
      hours.push(hour);
      await sessions.touch(session);
    }
    expect(hours).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  });

  it('sessions until they expire', async () => {
    const store = createMemoryDocumentStore();
    let now = Date.now();
    const sessions = createSessions(store, { idleMs: 2 * SESSION_MS, now: () => now });
    const cookie = await sessions.start({ agentId: 'ann', passwordVersion: 'v1', from: '', browser: '' });
    await sessions.prune();
    expect(await sessions.find(cookie)).toMatchObject({ agentId: 'ann', passwordVersion: 'v1' });
    now += SESSION_MS + 1;
    expect(await sessions.find(cookie)).toBeNull();
    expect(await store.list('session')).toHaveLength(1);
    await sessions.prune();
    expect(await store.list('session')).toEqual([]);
  });

  it('nothing with invalid settings', async () => {
    const { start } = await createDeskEnvironment();
    await expect(start({ keepDays: 0 })).rejects.toThrow('keepDays');
    await expect(start({ publicUrl: '/desk' })).rejects.toThrow('publicUrl');
    await expect(start({ idleMinutes: Number.NaN })).rejects.toThrow('idleMinutes');
  });
});
