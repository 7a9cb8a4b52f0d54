import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type RequestTrackerSettings, requestTracker } from '../../../src/adapters/request-tracker/index.js';
import type { Adapter } from '../../../src/bridge/index.js';
import { type RtAgent, rtAgent } from './rt/rt-agent.js';
import { describeWithRt, type Rt, startRt } from './rt/start-rt.js';
import { call, message, session, toRef } from './support.js';

// RT is slow, especially on a busy machine.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

describeWithRt('the adapter with a real Request Tracker', () => {
  let rt: Rt;
  let ada: RtAgent;
  let adapter: Adapter;
  const make = (changes: Partial<RequestTrackerSettings> = {}) =>
    requestTracker({ url: rt.url, token: rt.kit.token, queue: rt.queue, ...changes });

  beforeAll(async () => {
    rt = await startRt();
    ada = rtAgent(rt, rt.agent);
    adapter = make();
  });
  afterAll(() => rt?.remove());

  const opened = async () => {
    const asked = session();
    const { externalId } = await adapter.open(asked, call);
    return { asked, ticket: externalId, ref: toRef(asked, externalId) };
  };

  it('creates a ticket with the user and the transcript, and finds it', async () => {
    const asked = session({
      transcript: [
        { from: 'user', text: 'Wo bleibt mein Paket? 📦\n漢字 שלום <b>&amp;</b>' },
        { from: 'bot', text: '' },
        { from: 'bot', text: 'I do not know.' },
      ],
    });
    expect(await adapter.find(asked, call)).toBeNull();
    const made = await adapter.open(asked, call);
    expect(made.url).toBe(`${rt.url}/Ticket/Display.html?id=${made.externalId}`);
    expect(await adapter.find(asked, call)).toEqual(made);
    expect(await adapter.find(session(), call)).toBeNull();

    const { subject, status, history } = await ada.read(made.externalId);
    expect(subject).toBe('Wo bleibt mein Paket? 📦 漢字 שלום <b>&amp;</b>');
    expect(status).toBe('new');
    const [first] = history;
    expect(first).toMatchObject({ type: 'Create', by: rt.kit.login });
    expect(first?.text).toContain(`User id: ${asked.user.userId}`);
    expect(first?.text).toContain(
      'Customer: Wo bleibt mein Paket? 📦\n漢字 שלום <b>&amp;</b>\n\nAI: I do not know.',
    );
  });

  it('creates a ticket with the queue and the priority of its route, and refuses a queue that does not exist', async () => {
    const route = { tags: ['premium'], priority: 'high', department: rt.queue } as const;
    const { externalId } = await make({ queue: 'Nowhere' }).open(session({ route }), call);
    const answer = await fetch(`${rt.url}/REST/2.0/ticket/${externalId}`, {
      headers: { authorization: `token ${rt.kit.token}` },
    });
    expect(Object(await answer.json()).Priority).toMatch(/^(100|High)$/);
    expect((await ada.read(externalId)).history[0]?.text).toContain('Priority: high\nTags: premium');

    const nowhere = session({ route: { ...route, department: 'Nowhere' } });
    const error = await adapter.open(nowhere, call).catch((reason: unknown) => reason);
    expect(['invalid', 'auth']).toContain(Object(error).kind);
    expect(await adapter.find(nowhere, call)).toBeNull();
  });

  it('creates no user and sends no mail for the address of a customer', async () => {
    const { ref } = await opened();
    await adapter.send(ref, message('hello'), call);
    const users = await fetch(`${rt.url}/REST/2.0/user/support@example.com`, {
      headers: { authorization: `token ${rt.kit.token}` },
    });
    expect(users.status).toBe(404);
    expect(rt.mails()).not.toContain('support@example.com');
  });

  it.each([
    'one\ntwo  three',
    '0',
    '😀 漢字 שלום <script>alert(1)</script> &amp; "quotes" \\',
    'x'.repeat(50_000),
  ])('sends a message to the ticket unchanged (%#)', async (text) => {
    const { ticket, ref } = await opened();
    const { messageId } = await adapter.send(ref, message(text), call);
    expect(messageId).toMatch(/^\d+$/);
    const { history } = await ada.read(ticket);
    const said = history.filter(({ type }) => type === 'Correspond');
    expect(said.map((each) => each.text.trimEnd())).toEqual([text]);
  });

  it('closes a ticket once, with the reason as a comment', async () => {
    const { ticket, ref } = await opened();
    await adapter.close(ref, { by: 'user', text: 'The user has left.' }, call);
    await adapter.close(ref, { by: 'user', text: 'The user has left.' }, call);
    const { status, history } = await ada.read(ticket);
    expect(status).toBe('resolved');
    const comments = history.filter(({ type }) => type === 'Comment');
    expect(comments.map(({ text }) => text)).toEqual(['The user has left.']);
  });

  it('does not reopen a ticket that an agent has closed', async () => {
    const { ticket, ref } = await opened();
    await ada.setStatus(ticket, 'rejected');
    await expect(adapter.send(ref, message('wait!'), call)).rejects.toMatchObject({ kind: 'gone' });
    await adapter.close(ref, { by: 'user', text: 'The user has left.' }, call);
    expect(await ada.read(ticket)).toMatchObject({ status: 'rejected' });
  });

  it('does not repeat a message whose response was lost', async () => {
    const { ticket, ref } = await opened();
    let isLost = true;
    const forgetful = make({
      fetch: async (url, init) => {
        const response = await fetch(url, init);
        if (!url.endsWith('/correspond') || !isLost) return response;
        isLost = false;
        throw new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } });
      },
    });
    const said = message('only once');
    await expect(forgetful.send(ref, said, call)).rejects.toMatchObject({ kind: 'transient' });
    const { messageId } = await forgetful.send(ref, said, call);
    expect(messageId).toMatch(/^\d+$/);
    await forgetful.send(ref, message('and then'), call);
    const { history } = await ada.read(ticket);
    expect(history.filter(({ type }) => type === 'Correspond').map(({ text }) => text)).toEqual([
      'only once',
      'and then',
    ]);
  });

  it('reports failures by their kind', async () => {
    const { asked, ref } = await opened();
    const wrong = make({ token: `1-${rt.kit.id}-${'0'.repeat(32)}` });
    await expect(wrong.open(asked, call)).rejects.toMatchObject({ kind: 'auth' });
    await expect(wrong.send(ref, message('x'), call)).rejects.toMatchObject({ kind: 'auth' });
    const powerless = make({ token: rt.stranger.token });
    await expect(powerless.open(asked, call)).rejects.toMatchObject({ kind: 'auth' });
    await expect(powerless.send(ref, message('x'), call)).rejects.toMatchObject({ kind: 'auth' });
    await expect(powerless.close(ref, { by: 'system', text: 'x' }, call)).rejects.toMatchObject({
      kind: 'auth',
    });
    await expect(make({ queue: 'Nowhere' }).open(asked, call)).rejects.toMatchObject({ kind: 'auth' });
    const nowhere = toRef(asked, '999999');
    await expect(adapter.send(nowhere, message('x'), call)).rejects.toMatchObject({ kind: 'gone' });
    await expect(make({ url: `${rt.url}/rt` }).open(asked, call)).rejects.toMatchObject({ kind: 'invalid' });
    const elsewhere = make({ url: 'http://127.0.0.1:1' });
    await expect(elsewhere.open(asked, call)).rejects.toMatchObject({ kind: 'transient' });
  });

  it('checks the setup', async () => {
    await opened();
    const good = await adapter.check(call);
    expect(good.map(({ name, ok }) => [name, ok])).toEqual([
      ['reachable', true],
      ['clock', true],
      ['user', true],
      ['queue', true],
      ['rights', true],
      ['webhook secret', true],
    ]);
    const failing = async (changes: Partial<RequestTrackerSettings>) =>
      (await make(changes).check(call)).filter(({ ok }) => !ok).map(({ name }) => name);
    expect(await failing({ token: `1-${rt.kit.id}-${'0'.repeat(32)}` })).toEqual(['reachable']);
    expect(await failing({ token: rt.stranger.token })).toEqual(['queue']);
    expect(await failing({ queue: 'Nowhere' })).toEqual(['queue']);
    expect(await failing({ url: `${rt.url}/rt` })).toEqual(['reachable']);
  });
});
