import { describe, expect, it } from 'vitest';
import type { StateView, TokenView } from '../../src/desk/api.js';
import { createAgents } from '../../src/desk/server/agents/agents.js';
import { createTokens } from '../../src/desk/server/agents/tokens.js';
import { createMemoryDocumentStore } from '../../src/desk/server/store/memory-document-store.js';
import { eventually, listen } from './agent-client.js';
import { deskWithHandoff } from './desk-environment.js';
import { createProgram } from './program-client.js';

async function deskWithProgram(role: TokenView['role'] = 'agent') {
  const desk = await deskWithHandoff();
  const admin = await desk.instance.agent('admin', 'administrator');
  const program = await createProgram(desk.instance.url, admin, { role });
  return { ...desk, admin, program };
}

describe('a program with a token', () => {
  it('claims a conversation and replies, under its own name', async () => {
    const { program, ann, id, bench, instance } = await deskWithProgram();
    const act = (action: string, input: object) =>
      program.call('POST', `/api/conversations/${id}/${action}`, input);
    expect(await act('claim', {})).toMatchObject({
      status: 200,
      body: { state: 'active', agent: program.id },
    });
    expect((await act('reply', { messageId: 'm-1', text: 'Hello from the program.' })).status).toBe(200);
    expect((await bench.nextReply()).text).toBe('Hello from the program.');
    const { agents } = await ann.state();
    expect(agents).toContainEqual({ id: program.id, name: 'CRM', role: 'agent' });
    const { entries } = await ann.conversation(id);
    expect(entries.map(({ event }) => event)).toContainEqual({
      type: 'message',
      messageId: 'm-1',
      from: 'agent',
      agent: program.id,
      text: 'Hello from the program.',
    });
    const lines = (await instance.audit()).filter(({ agent }) => agent === program.id);
    expect(lines.map(({ action }) => action)).toEqual(['claim', 'reply']);
  });

  it('needs no body where an action has no input', async () => {
    const { program, id } = await deskWithProgram();
    expect((await program.call('POST', `/api/conversations/${id}/claim`)).status).toBe(200);
  });

  it('does not reply in the conversation of an agent', async () => {
    const { program, ann, id } = await deskWithProgram();
    await ann.act(id, 'claim', {});
    const answer = await program.call('POST', `/api/conversations/${id}/reply`, {
      messageId: 'm',
      text: 'Hi',
    });
    expect(answer).toMatchObject({ status: 409, body: { code: 'NOT_YOURS' } });
    expect(
      (await program.call('POST', `/api/conversations/${id}/note`, { messageId: 'n', text: 'Paid.' })).status,
    ).toBe(200);
  });

  it('gets conversations by transfer, and not by the rules while it listens', async () => {
    const { admin, program, ann, id, instance } = await deskWithProgram();
    const rules = { method: 'roundRobin', capacity: null, bots: [], version: 0 };
    const controller = new AbortController();
    const stream = await fetch(`${instance.url}/desk/api/events`, {
      headers: { authorization: `Bearer ${program.token}` },
      signal: controller.signal,
    });
    expect(stream.status).toBe(200);
    const page = await listen(instance.url, admin.cookie);
    expect((await admin.send('PUT', '/api/admin/assignment', rules)).status).toBe(200);
    // The administrator is the only one who is available.
    await eventually(() => expect(page.text()).toContain('"availability":[{"agent":"admin"'));
    expect(page.text()).not.toContain(`"agent":"${program.id}"`);
    await eventually(async () => expect((await ann.conversation(id)).summary.agent).toBe('admin'));
    expect((await admin.act(id, 'transfer', { to: program.id })).status).toBe(200);
    page.close();
    controller.abort();
  });

  it('is listed with its last use, and its role can be changed', async () => {
    const { admin, program } = await deskWithProgram();
    const listed = async () => (await admin.get<TokenView[]>('/api/admin/tokens')).body;
    const shown = { id: program.id, name: 'CRM', role: 'agent', createdBy: 'admin', expiresAt: null };
    expect(await listed()).toEqual([{ ...shown, createdAt: program.createdAt, lastUsedAt: null }]);
    expect((await program.call('PUT', '/api/canned', { replies: [], version: 0 })).status).toBe(403);
    expect((await listed())[0]?.lastUsedAt).toBeGreaterThan(0);
    await admin.send('POST', `/api/admin/agents/${program.id}/role`, { role: 'supervisor' });
    expect((await program.call('PUT', '/api/canned', { replies: [], version: 0 })).status).toBe(200);
  });

  it('loses its conversations when it is revoked', async () => {
    const { admin, program, ann, id } = await deskWithProgram();
    await program.call('POST', `/api/conversations/${id}/claim`);
    expect((await admin.send('POST', `/api/admin/tokens/${program.id}/revoke`, {})).status).toBe(204);
    expect((await ann.conversation(id)).summary).toMatchObject({ state: 'waiting', agent: null });
    expect((await admin.send('POST', `/api/admin/tokens/${program.id}/revoke`, {})).body).toMatchObject({
      code: 'NO_SUCH_TOKEN',
    });
    // Agents with a password are no tokens.
    expect((await admin.send('POST', '/api/admin/tokens/ann/revoke', {})).status).toBe(404);
  });

  it('reads the state that the page has, without a token for forms', async () => {
    const { program } = await deskWithProgram();
    const { body } = await program.call<StateView>('GET', '/api/state');
    expect(body).toMatchObject({ me: { id: program.id }, token: '' });
  });

  it('is told which fields of a request are invalid', async () => {
    const { program, id } = await deskWithProgram();
    const answer = await program.call('POST', `/api/conversations/${id}/reply`, { messageId: 'm', text: 7 });
    expect(answer).toMatchObject({ status: 400, body: { code: 'INVALID', fields: ['text'] } });
  });
});

describe('a token', () => {
  const by = { id: 'admin', name: 'Admin', role: 'administrator' } as const;

  it('expires', async () => {
    let now = 1_000_000;
    const store = createMemoryDocumentStore();
    const tokens = createTokens(store, createAgents(store), () => now);
    const { token } = await tokens.create(by, { name: 'CRM', role: 'agent', expiresAt: 1_500_000 });
    expect(await tokens.find(token)).toMatchObject({ name: 'CRM' });
    now = 1_500_000;
    expect(await tokens.find(token)).toBeNull();
    expect(await tokens.list()).toHaveLength(1);
  });

  it('is stored as a digest', async () => {
    const store = createMemoryDocumentStore();
    const tokens = createTokens(store, createAgents(store));
    const { token } = await tokens.create(by, { name: 'CRM', role: 'agent', expiresAt: null });
    const everything = JSON.stringify([await store.list('agent'), await store.read()]);
    expect(everything).toContain('CRM');
    expect(everything).not.toContain(token.split('_').slice(2).join('_'));
  });

  it('stores its use once a minute', async () => {
    let now = 10_000_000;
    const store = createMemoryDocumentStore();
    const tokens = createTokens(store, createAgents(store), () => now);
    const { id } = await tokens.create(by, { name: 'CRM', role: 'agent', expiresAt: null });
    const used: (number | null | undefined)[] = [];
    for (const step of [0, 59_999, 1]) {
      now += step;
      await tokens.touch(id);
      used.push((await tokens.list())[0]?.lastUsedAt);
    }
    expect(used).toEqual([10_000_000, 10_000_000, 10_060_000]);
  });
});
