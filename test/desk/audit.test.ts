import { describe, expect, it } from 'vitest';
import type { AuditPage, DashboardView } from '../../src/desk/api.js';
import type { AuditEntry } from '../../src/desk/index.js';
import { eventually, postLogin } from './agent-client.js';
import { createDeskEnvironment, deskWithHandoff, PASSWORD } from './desk-environment.js';

/** The last line about an action. */
const lineOf = (lines: readonly AuditEntry[], action: string) =>
  lines.findLast((line) => line.action === action);

describe('the audit log', () => {
  it('has who, from where, what, and before and after for every action', async () => {
    const { instance, ann, id, handoff } = await deskWithHandoff({ stored: true, trustProxy: true });
    const boss = await instance.agent('boss', 'administrator');
    const at = { 'x-forwarded-for': '203.0.113.9' };
    const act = (name: string, body: unknown) =>
      ann.send('POST', `/api/conversations/${id}/${name}`, body, at);
    await act('claim', {});
    await act('tag', { add: ['storm'], remove: [] });
    await act('priority', { priority: 'high' });
    await act('note', { messageId: 'n1', text: 'A secret note.' });
    await act('transfer', { to: 'boss' });
    const replies = [{ id: 'hello', title: 'Hello', text: 'Hi!' }];
    await boss.send('PUT', '/api/canned', { replies, version: 0 }, at);
    await boss.send('POST', '/api/admin/agents', { id: 'ben', name: 'Ben', role: 'agent' }, at);
    await boss.send('POST', '/api/admin/agents/ben/role', { role: 'supervisor' }, at);
    await boss.send(
      'PUT',
      '/api/teams',
      { teams: [{ id: 't', name: 'Night', members: ['ben'] }], version: 0 },
      at,
    );
    await boss.send('POST', '/api/admin/agents/ben/remove', {}, at);

    const lines = await instance.audit();
    const conversationId = handoff.id;
    expect(lineOf(lines, 'claim')).toMatchObject({
      agent: 'ann',
      from: '203.0.113.9',
      conversationId,
      before: { state: 'waiting', agent: null },
      after: { state: 'active', agent: 'ann' },
    });
    expect(lineOf(lines, 'tag')).toMatchObject({ before: { tags: [] }, after: { tags: ['storm'] } });
    expect(lineOf(lines, 'priority')).toMatchObject({
      before: { priority: 'normal' },
      after: { priority: 'high' },
    });
    expect(lineOf(lines, 'transfer')).toMatchObject({ before: { agent: 'ann' }, after: { agent: 'boss' } });
    expect(lineOf(lines, 'canned replies')).toMatchObject({
      agent: 'boss',
      before: { hello: expect.stringContaining('Hello, this is'), moment: expect.anything() },
      after: { hello: 'Hello: Hi!', moment: null },
    });
    expect(lineOf(lines, 'agent added')).toMatchObject({
      agent: 'boss',
      detail: 'ben',
      after: { role: 'agent' },
    });
    expect(lineOf(lines, 'role changed')).toMatchObject({
      agent: 'boss',
      from: '203.0.113.9',
      detail: 'ben',
      before: { role: 'agent' },
      after: { role: 'supervisor' },
    });
    expect(lineOf(lines, 'teams changed')).toMatchObject({ before: {}, after: { Night: ['ben'] } });
    expect(lineOf(lines, 'agent removed')).toMatchObject({ agent: 'boss', detail: 'ben' });
    expect(JSON.stringify(lines)).not.toContain('A secret note.');
  }, 60_000);

  it('has failed logins with the name tried', async () => {
    const { start } = await createDeskEnvironment();
    const { url, audit } = await start({ trustProxy: true });
    const headers = { 'x-forwarded-for': '203.0.113.9' };
    await postLogin(url, { name: 'root', password: 'sEcret' }, headers);
    await postLogin(url, { name: `x\n${'y'.repeat(100)}`, password: 'sEcret' }, headers);
    const [first, second] = await audit();
    expect(first).toMatchObject({ agent: null, from: '203.0.113.9', detail: '/login as "root"' });
    expect(second?.detail).toBe(`/login as "x\\n${'y'.repeat(62)}"`);
    expect(JSON.stringify([first, second])).not.toContain('sEcret');
  });

  it('has the reading and settling of dead letters', async () => {
    const { bench, instance, ann, id } = await deskWithHandoff({ stored: true, giveUpAfterMs: 1 });
    bench.faults.set('answerError');
    await ann.say(id, 'Dead letter.');
    const dead = await eventually(async () => {
      const [letter] = (await ann.get<DashboardView>('/api/dashboard')).body.dead;
      if (!letter) throw new Error('no dead letter yet');
      return letter;
    });
    await ann.get(`/api/dead/outbox/${dead.id}`);
    await ann.send('POST', `/api/dead/outbox/${dead.id}/discard`, {});
    const lines = await instance.audit();
    const about = { agent: 'ann', conversationId: dead.conversationId, detail: `outbox ${dead.id}` };
    expect(lineOf(lines, 'read of a dead letter')).toMatchObject(about);
    expect(lineOf(lines, 'discard of a dead letter')).toMatchObject({
      ...about,
      after: { state: 'discarded' },
    });
    expect(JSON.stringify(lines)).not.toContain('Dead letter.');
  });

  it('is searched and exported by administrators', async () => {
    const { start } = await createDeskEnvironment({ stored: true });
    const { url, agent, desk } = await start();
    const boss = await agent('boss', 'administrator');
    for (let nth = 0; nth < 120; nth += 1) {
      await desk.store.write({
        append: [{ topic: 'audit', value: { agent: 'ann', action: 'claim', detail: `number ${nth}` } }],
      });
    }
    await postLogin(url, { name: '=cmd()', password: PASSWORD });
    const search = async (query: string) => (await boss.get<AuditPage>(`/api/admin/audit?${query}`)).body;
    const first = await search('search=CLAIM');
    expect([first.entries.length, first.more]).toEqual([100, true]);
    expect(first.entries[0]?.detail).toBe('number 119');
    const rest = await search(`search=claim&before=${first.entries.at(-1)?.seq}`);
    expect([rest.entries.length, rest.more, rest.entries.at(-1)?.detail]).toEqual([20, false, 'number 0']);
    expect((await search(`search=claim&since=${Date.now() + 7_200_000}`)).entries).toEqual([]);
    expect((await search(`search=claim&until=${Date.now() - 7_200_000}`)).entries).toEqual([]);
    expect((await search(`search=claim&since=${Date.now() - 7_200_000}`)).entries).toHaveLength(100);

    const lines = (await boss.get<string>('/api/admin/audit/export?format=jsonl&search=claim')).body;
    // The line about the export itself contains the word, too.
    expect(lines.match(/"action":"claim"/g)).toHaveLength(120);
    const csv = await boss.get<string>('/api/admin/audit/export?format=csv&search=number 79');
    expect(csv.headers.get('content-disposition')).toBe('attachment; filename=audit.csv');
    const [head, , line] = csv.body.split('\r\n');
    expect(head).toBe('at,agent,from,action,conversationId,detail,before,after');
    expect(line).toMatch(/^"\d{4}-[^"]+Z","ann","","claim","","number 79","",""$/);
    const exported = await search('search=exported');
    expect(exported.entries.map(({ agent: who }) => who)).toEqual(['boss', 'boss']);
  }, 60_000);

  it('cannot run a formula in a spreadsheet', async () => {
    const { start } = await createDeskEnvironment();
    const { agent, desk } = await start();
    const boss = await agent('boss', 'administrator');
    for (const detail of ['=1+1', '+1', '-1', '@x', '"quoted",\nline']) {
      await desk.store.write({ append: [{ topic: 'audit', value: { agent: 'x', action: 'odd', detail } }] });
    }
    const { body } = await boss.get<string>('/api/admin/audit/export?format=csv&search=odd');
    for (const cell of [`"'=1+1"`, `"'+1"`, `"'-1"`, `"'@x"`, `"""quoted"",\nline"`])
      expect(body).toContain(cell);
  });
});
