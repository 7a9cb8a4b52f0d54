import { Webhook } from 'standardwebhooks';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { NewWebhook, WebhookEventName, WebhookView } from '../../src/desk/api.js';
import { createConversationRecords } from '../../src/desk/server/conversations/conversation-records.js';
import type { DocumentStore } from '../../src/desk/server/store/index.js';
import { createMemoryDocumentStore } from '../../src/desk/server/store/memory-document-store.js';
import { createWebhookSender } from '../../src/desk/server/webhooks/webhook-sender.js';
import { createWebhooks } from '../../src/desk/server/webhooks/webhooks.js';
import { logLines } from '../helpers/log-lines.js';
import { type AgentClient, eventually } from './agent-client.js';
import { deskWithHandoff } from './desk-environment.js';
import { sampleRecord } from './sample-record.js';
import { isSigned, webhookEndpoint } from './webhook-endpoint.js';

const ALL: readonly WebhookEventName[] = [
  'conversation.opened',
  'conversation.claimed',
  'conversation.closed',
  'note.added',
  'sla.missed',
];

const ADMIN = { id: 'admin', name: 'Admin', role: 'administrator' } as const;
const DAY_MS = 86_400_000;

async function createWebhook(admin: AgentClient, url: string, more: object = {}): Promise<NewWebhook> {
  const request = { url, events: ALL, content: false, ...more };
  const answer = await admin.send('POST', '/api/admin/webhooks', request);
  expect(answer.status).toBe(200);
  return answer.body as NewWebhook;
}

/** A store with one webhook, and senders on it that share a clock. */
async function stage(
  url: string,
  { events = ALL, content = false, store = createMemoryDocumentStore() } = {},
) {
  const clock = { ahead: 0 };
  const now = () => Date.now() + clock.ahead;
  const logged = logLines();
  const webhooks = createWebhooks(store);
  const webhook = await webhooks.create(ADMIN, { url, events, content });
  const records = createConversationRecords(store);
  const sender = () => {
    const created = createWebhookSender({ store, webhooks: createWebhooks(store), log: logged.log, now });
    onTestFinished(() => created.stop());
    return created;
  };
  const open = (id: string, more = {}) =>
    records.add({ record: sampleRecord(id, more), events: [{ type: 'opened' }] });
  const note = (id: string, messageId: string) =>
    records.change(id, (record) => ({
      record,
      events: [{ type: 'note', messageId, agent: 'ann', text: 'Words of a note.' }],
    }));
  const view = async (): Promise<WebhookView | undefined> => (await webhooks.list())[0];
  return { store, clock, logged, webhooks, webhook, records, sender, open, note, view };
}

describe('a webhook of a desk', () => {
  it('gets the events of a conversation, signed by the specification', async () => {
    const endpoint = await webhookEndpoint();
    const { bench, instance, ann } = await deskWithHandoff({ stored: true });
    const admin = await instance.agent('admin', 'administrator');
    const { secret, id: webhookId } = await createWebhook(admin, endpoint.url);
    const handoff = await bench.requestHandoff();
    const id = await ann.idOf(handoff.id);
    await ann.act(id, 'claim', {});
    await ann.act(id, 'note', { messageId: 'n-1', text: 'Words of a note.' });
    await ann.say(id, 'Words of an agent.');
    await bench.nextReply();
    await ann.act(id, 'close', {});
    await eventually(() =>
      expect(endpoint.types()).toEqual([
        'conversation.opened',
        'conversation.claimed',
        'note.added',
        'conversation.closed',
      ]),
    );
    const verifier = new Webhook(secret);
    for (const { text, headers, body } of endpoint.received) {
      expect(verifier.verify(text, headers)).toEqual(body);
      expect(headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'handoff-kit' });
      expect(body.data.conversation).toMatchObject({ id, conversationId: handoff.id });
      expect(text).not.toContain('Words of');
    }
    expect(new Set(endpoint.received.map((each) => each.id)).size).toBe(4);
    const [, claimed, note, closed] = endpoint.received.map(({ body }) => body.data);
    expect(claimed?.conversation.agent).toBe('ann');
    expect(note?.note).toEqual({ messageId: 'n-1', agent: 'ann' });
    expect(closed?.conversation.ended).toMatchObject({ by: 'agent', agent: 'ann' });
    const list = await eventually(async () => {
      const { body } = await admin.get<WebhookView[]>('/api/admin/webhooks');
      expect(body).toMatchObject([{ id: webhookId, waiting: 0, failingSince: null, disabledAt: null }]);
      return body;
    });
    expect(list[0]?.deliveredAt).toBeGreaterThan(0);
    expect(JSON.stringify(list)).not.toContain('whsec_');
    expect((await admin.send('POST', `/api/admin/webhooks/${webhookId}/remove`, {})).status).toBe(204);
    expect((await admin.get('/api/admin/webhooks')).body).toEqual([]);
    const audited = (await instance.audit()).map(({ action }) => action);
    expect(audited).toEqual(expect.arrayContaining(['webhook created', 'webhook removed']));
    expect(JSON.stringify(await instance.audit())).not.toContain('whsec_');
  });

  it('tells that the platform ended a conversation without an answer', async () => {
    const endpoint = await webhookEndpoint();
    const { bench, instance, id } = await deskWithHandoff({
      bench: { simulator: { waitTimeoutMs: 60_000 } },
    });
    const admin = await instance.agent('admin', 'administrator');
    await createWebhook(admin, endpoint.url, { events: ['sla.missed'] });
    bench.clock.advance(60_000);
    await eventually(() => expect(endpoint.types()).toEqual(['sla.missed']));
    expect(endpoint.received[0]?.body.data.conversation).toMatchObject({ id, firstReplyAt: null });
  });
});

describe('webhooks', () => {
  it('send words and contact details only where that was asked for', async () => {
    const last = { from: 'customer', text: 'Words of a user.', at: 1 } as const;
    const user = { key: 'k', userId: 'u', anonymousId: null, email: 'u@example.com', phone: '123' };
    for (const content of [false, true]) {
      const endpoint = await webhookEndpoint();
      const { sender, open, note } = await stage(endpoint.url, { content });
      await open('c', { last, user });
      await note('c', 'n');
      await sender().run();
      expect(endpoint.types()).toEqual(['conversation.opened', 'note.added']);
      const text = endpoint.received.map((each) => each.text).join('\n');
      for (const part of ['Words of a user.', 'Words of a note.', 'u@example.com', '"phone":"123"'])
        expect([part, text.includes(part)]).toEqual([part, content]);
      expect(text).toContain('"userId":"u"');
    }
  });

  it('get the events that they asked for, from their creation on', async () => {
    const endpoint = await webhookEndpoint();
    const store = createMemoryDocumentStore();
    await createConversationRecords(store).add({ record: sampleRecord('old'), events: [{ type: 'opened' }] });
    const { sender, open, note } = await stage(endpoint.url, { store, events: ['note.added'] });
    await open('c');
    await note('old', 'n-1');
    await sender().run();
    expect(endpoint.received.map(({ body }) => body.data.note?.messageId)).toEqual(['n-1']);
  });

  it('get what was stored while no process ran', async () => {
    const endpoint = await webhookEndpoint();
    const { sender, open, note } = await stage(endpoint.url);
    await open('c');
    for (let nth = 0; nth < 120; nth += 1) await note('c', `n-${nth}`);
    await sender().run();
    expect(endpoint.received.map(({ body }) => body.data.note?.messageId)).toEqual([
      undefined,
      ...Array.from({ length: 120 }, (_, nth) => `n-${nth}`),
    ]);
  });

  it('are sent by another process with the same id, if the first one dies while it sends', async () => {
    let isFirst = true;
    const endpoint = await webhookEndpoint(() => {
      const reaction = isFirst ? 'hang' : 204;
      isFirst = false;
      return reaction;
    });
    const { clock, sender, open, note } = await stage(endpoint.url);
    await open('c');
    await note('c', 'n');
    void sender().run();
    await eventually(() => expect(endpoint.received).toHaveLength(1));
    const other = sender();
    await other.run();
    // It may still be sending.
    expect(endpoint.received).toHaveLength(1);
    clock.ahead = 120_000;
    await other.run();
    expect(endpoint.types()).toEqual(['conversation.opened', 'conversation.opened', 'note.added']);
    expect(endpoint.received[1]?.id).toBe(endpoint.received[0]?.id);
  });

  it('are sent once by several processes, in the order of each conversation', async () => {
    const endpoint = await webhookEndpoint();
    const { sender, open, note } = await stage(endpoint.url);
    const senders = [sender(), sender(), sender()];
    const conversations = ['a', 'b', 'c', 'd', 'e'];
    for (const id of conversations) await open(id);
    for (let nth = 0; nth < 10; nth += 1) {
      await Promise.all(conversations.map((id) => note(id, `${id}-${nth}`)));
      await Promise.all(senders.map((each) => each.run()));
    }
    await eventually(async () => {
      await Promise.all(senders.map((each) => each.run()));
      expect(endpoint.received).toHaveLength(55);
    });
    expect(new Set(endpoint.received.map(({ id }) => id)).size).toBe(55);
    for (const id of conversations) {
      const own = endpoint.received.filter(({ body }) => body.data.conversation.id === id);
      expect(own.flatMap(({ body }) => body.data.note?.messageId ?? [])).toEqual(
        Array.from({ length: 10 }, (_, nth) => `${id}-${nth}`),
      );
    }
  });

  it('are repeated with growing pauses until they arrive, and signed anew', async () => {
    let status = 500;
    const endpoint = await webhookEndpoint(() => status);
    const { clock, sender, open, note, view, webhook } = await stage(endpoint.url);
    const only = sender();
    await open('c');
    await open('d');
    await note('c', 'n');
    await only.run();
    const tries: number[] = [];
    for (const wait of [4_000, 2_000, 27_000, 4_000, 100_000]) {
      clock.ahead += wait;
      await only.run();
      tries.push(endpoint.received.length);
    }
    // Two at once, and then one after each pause.
    expect(tries).toEqual([2, 3, 3, 4, 4]);
    expect(await view()).toMatchObject({ problem: 'HTTP 500', disabledAt: null, waiting: 3 });
    status = 200;
    clock.ahead += DAY_MS;
    await only.run();
    expect(await view()).toMatchObject({ problem: null, failingSince: null, waiting: 0 });
    const ofC = endpoint.received.filter(({ body }) => body.data.conversation.id === 'c');
    expect(ofC.at(-1)?.body.type).toBe('note.added');
    expect(new Set(ofC.slice(0, -1).map(({ id }) => id)).size).toBe(1);
    expect(endpoint.received.every((each) => isSigned(each, webhook.secret))).toBe(true);
  });

  it('wait as long as the receiver asks', async () => {
    let reaction: Parameters<typeof webhookEndpoint>[0] = () => ({
      status: 429,
      headers: { 'retry-after': '900' },
    });
    const endpoint = await webhookEndpoint((each) => reaction?.(each) ?? 204);
    const { clock, sender, open } = await stage(endpoint.url);
    const only = sender();
    await open('c');
    await only.run();
    reaction = () => 204;
    clock.ahead += 890_000;
    await only.run();
    expect(endpoint.received).toHaveLength(1);
    clock.ahead += 20_000;
    await only.run();
    expect(endpoint.received).toHaveLength(2);
  });

  it('of one conversation that always fails hold up no other', async () => {
    const endpoint = await webhookEndpoint(({ body }) => (body.data.conversation.id === 'bad' ? 500 : 204));
    const { clock, sender, open, note, view } = await stage(endpoint.url);
    const only = sender();
    await open('bad');
    await only.run();
    for (let nth = 0; nth < 5; nth += 1) {
      await open(`good-${nth}`);
      await note('bad', `n-${nth}`);
      clock.ahead += 20_000;
      await only.run();
    }
    const good = endpoint.received.filter(({ body }) => body.data.conversation.id !== 'bad');
    expect(good.map(({ body }) => body.data.conversation.id)).toEqual(
      [0, 1, 2, 3, 4].map((nth) => `good-${nth}`),
    );
    expect((await view())?.waiting).toBe(6);
  });

  it('are disabled after three days of failure, until an administrator enables them', async () => {
    let status = 500;
    const endpoint = await webhookEndpoint(() => status);
    const { clock, sender, open, note, view, logged, webhooks, webhook } = await stage(endpoint.url);
    const only = sender();
    await open('c');
    await only.run();
    clock.ahead += 2.9 * DAY_MS;
    await only.run();
    expect((await view())?.disabledAt).toBeNull();
    await open('d');
    clock.ahead += 0.2 * DAY_MS;
    await only.run();
    expect(await view()).toMatchObject({ problem: 'HTTP 500' });
    expect((await view())?.disabledAt).toBeGreaterThan(0);
    expect(logged.about('a webhook is disabled: HTTP 500')).toHaveLength(1);
    const before = endpoint.received.length;
    clock.ahead += DAY_MS;
    await note('d', 'not sent');
    await only.run();
    expect(endpoint.received).toHaveLength(before);
    status = 204;
    await webhooks.enable(ADMIN, webhook.id);
    await note('d', 'sent');
    await only.run();
    const notes = endpoint.received.flatMap(({ body }) => body.data.note?.messageId ?? []);
    expect(notes).toEqual(['sent']);
    expect((await view())?.waiting).toBe(0);
  });

  it('are disabled at once by a receiver that is gone', async () => {
    const endpoint = await webhookEndpoint(() => 410);
    const { sender, open, view } = await stage(endpoint.url);
    await open('c');
    await sender().run();
    expect((await view())?.disabledAt).toBeGreaterThan(0);
  });

  it('tell a missed limit once, also if the conversation stays open or is closed later', async () => {
    const endpoint = await webhookEndpoint();
    const { clock, sender, open, records } = await stage(endpoint.url, { events: ['sla.missed'] });
    const only = sender();
    await open('c', { replyBy: Date.now() + 60_000 });
    await open('greeted', { replyBy: null });
    await open('answered', { replyBy: Date.now() + 60_000, firstReplyAt: Date.now() });
    await only.run();
    expect(endpoint.received).toHaveLength(0);
    clock.ahead = 61_000;
    await only.run();
    await only.run();
    await records.change('c', (record) => ({
      record: { ...record, state: 'closed', ended: { by: 'timeout', at: Date.now(), agent: null } },
      events: [{ type: 'closed', by: 'timeout', agent: null }],
    }));
    await only.run();
    expect(endpoint.received.map(({ body }) => [body.type, body.data.conversation.id])).toEqual([
      ['sla.missed', 'c'],
    ]);
  });

  it('of a user who is forgotten are deleted', async () => {
    const endpoint = await webhookEndpoint(() => 500);
    const { store, sender, open, view } = await stage(endpoint.url, { content: true });
    await open('c', { last: { from: 'customer', text: 'Words of a user.', at: 1 } });
    await sender().run();
    expect(await contentOf(store)).toContain('Words of a user.');
    await store.forget(['c']);
    expect(await contentOf(store)).not.toContain('Words of a user.');
    expect((await view())?.waiting).toBe(0);
  });
});

const contentOf = async (store: DocumentStore): Promise<string> =>
  JSON.stringify(await store.list('webhook-delivery'));
