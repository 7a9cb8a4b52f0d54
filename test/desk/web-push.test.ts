import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { PushView } from '../../src/desk/api.js';
import { createAgents } from '../../src/desk/server/agents/agents.js';
import { createConversationRecords } from '../../src/desk/server/conversations/conversation-records.js';
import { createPushSubscriptions } from '../../src/desk/server/notify/push-subscriptions.js';
import { createWebPush } from '../../src/desk/server/notify/web-push.js';
import { createTeams } from '../../src/desk/server/settings.js';
import type { DocumentStore } from '../../src/desk/server/store/index.js';
import { createMemoryDocumentStore } from '../../src/desk/server/store/memory-document-store.js';
import { silentLog } from '../../src/internal/index.js';
import { type AgentClient, eventually, logIn } from './agent-client.js';
import { goOnline, setRules } from './assignment-desk.js';
import { createDeskEnvironment, type InstanceOptions, PASSWORD } from './desk-environment.js';
import { startPushService } from './push-service.js';
import { sampleRecord } from './sample-record.js';

/** The part of one process on a store. */
const webPushOn = (store: DocumentStore) =>
  createWebPush({
    store,
    subscriptions: createPushSubscriptions(store, createAgents(store)),
    teams: createTeams(store),
    records: createConversationRecords(store),
    log: silentLog,
    options: { allowLoopback: true },
    subject: 'mailto:desk@example.com',
  });

const PUSH = { webPush: { allowLoopback: true } } as const;

/** A desk with the agent `ann`, who has a conversation and a browser that takes notifications. */
async function deskWithPush(options: InstanceOptions = PUSH) {
  const service = await startPushService();
  const { bench, start } = await createDeskEnvironment({ stored: true });
  const instance = await start(options);
  const root = await instance.agent('root', 'administrator');
  const ann = await instance.agent('ann', 'supervisor');
  const turnOn = async (agent: AgentClient, browser: string): Promise<void> => {
    expect((await agent.send('POST', '/api/push', service.subscribe(browser))).status).toBe(204);
  };
  const request = async () => {
    const handoff = await bench.requestHandoff({ user: { userId: `maria ${randomUUID()}` } });
    return { handoff, id: await root.idOf(handoff.id) };
  };
  const { handoff, id } = await request();
  expect((await ann.act(id, 'claim', {})).status).toBe(200);
  await turnOn(ann, 'ann');
  const subscriptions = () => instance.desk.store.list('push-subscription');
  /** Waits for the notification of something that happens now: what happened before it was decided by then. */
  const settled = async (): Promise<void> => {
    const marker = await request();
    const browser = randomUUID();
    await turnOn(root, browser);
    await ann.act(marker.id, 'transfer', { to: 'root' });
    await service.until(browser, 1);
  };
  return { service, bench, start, instance, root, ann, handoff, id, turnOn, request, subscriptions, settled };
}

const setVisible = (agent: AgentClient, page: string, isVisible: boolean) =>
  agent.send('POST', '/api/push/visible', { page, isVisible });

describe('an agent without a visible page is notified', () => {
  it('of a message in their conversation, encrypted and signed, without words of the customer', async () => {
    const { service, ann, handoff, id } = await deskWithPush();
    await handoff.say('My card number is 1234.');
    const [push] = await service.until('ann', 1);
    expect(push?.message).toEqual({ kind: 'message', conversation: id, language: 'en' });
    expect(push?.text).not.toMatch(/1234|maria/);
    expect(push?.headers).toMatchObject({
      'content-encoding': 'aes128gcm',
      urgency: 'high',
      topic: expect.stringMatching(/^[\w-]{32}$/),
    });
    expect(push?.senderKey).toBe((await ann.get<PushView>('/api/push')).body.publicKey);
    expect(push?.claims).toMatchObject({ aud: service.url, sub: expect.stringMatching(/^mailto:/) });
  });

  it('and not while one of their pages is visible', async () => {
    const { service, ann, handoff, settled } = await deskWithPush();
    const [first, second] = [randomUUID(), randomUUID()];
    await setVisible(ann, first, true);
    await setVisible(ann, second, true);
    await setVisible(ann, second, false);
    await handoff.say('Hello?');
    await settled();
    expect(service.received.filter(({ browser }) => browser === 'ann')).toEqual([]);
    await setVisible(ann, first, false);
    await handoff.say('Still there?');
    await service.until('ann', 1);
  });

  it('of a conversation that another agent transfers to them, or that the rules assign', async () => {
    const { service, root, ann, instance, request } = await deskWithPush();
    const { id } = await request();
    await root.act(id, 'transfer', { to: 'ann' });
    const [transferred] = await service.until('ann', 1);
    expect(transferred?.message).toMatchObject({ kind: 'assigned', conversation: id });
    await goOnline(instance.url, ann);
    await setRules(root, { method: 'roundRobin' });
    const { id: assigned } = await request();
    const [, push] = await service.until('ann', 2);
    expect(push?.message).toMatchObject({ kind: 'assigned', conversation: assigned });
  });

  it('of a conversation that waits, unless they are away or it is for a team of others', async () => {
    const { service, root, ann, instance, turnOn, request } = await deskWithPush();
    for (const name of ['bob', 'cleo']) await turnOn(await instance.agent(name, 'agent'), name);
    await ann.send('PUT', '/api/availability', { isAway: true });
    const { id } = await request();
    const [push] = await service.until('cleo', 1);
    expect(push?.message).toEqual({ kind: 'waiting', conversation: id, language: 'en' });
    await service.until('bob', 1);
    const team = { id: 'billing', name: 'Billing', members: ['ann', 'bob'] };
    await root.send('PUT', '/api/teams', { teams: [team], version: 0 });
    await root.act(id, 'pass', { team: 'billing' });
    await service.until('bob', 2);
    expect(service.received.map(({ browser }) => browser).toSorted()).toEqual(['bob', 'bob', 'cleo']);
  });
});

describe('a page that was visible', () => {
  afterEach(() => void vi.useRealTimers());

  it('and is gone without a word leads to a notification later, unless the message was read', async () => {
    const service = await startPushService();
    const store = createMemoryDocumentStore();
    const records = createConversationRecords(store);
    const agents = createAgents(store);
    const subscriptions = createPushSubscriptions(store, agents);
    const webPush = webPushOn(store);
    const observed = createConversationRecords(webPush.observe(store));
    await agents.save({ id: 'ann', name: 'Ann' }, PASSWORD);
    const ann = { id: 'ann', name: 'Ann', role: 'agent' } as const;
    await webPush.subscribe(ann, { id: 'session' } as never, service.subscribe('ann'));
    vi.useFakeTimers({ toFake: ['setTimeout', 'Date'] });
    await subscriptions.setVisible(ann, randomUUID(), true);
    const event = { type: 'message', messageId: '1', from: 'customer', text: 'Hi' } as const;
    for (const id of ['read', 'unread']) {
      const record = sampleRecord(id, { state: 'active', agent: 'ann' });
      await observed.add({ record, events: [event] });
    }
    await vi.advanceTimersByTimeAsync(2_000);
    const read = {
      record: sampleRecord('read', { state: 'active', agent: 'ann', read: { ann: 1 } }),
      events: [],
    };
    await records.change('read', () => read);
    expect(service.received).toEqual([]);
    await vi.advanceTimersByTimeAsync(60_000);
    const [push] = await service.until('ann', 1);
    expect(push?.message.conversation).toBe('unread');
    webPush.stop();
  });
});

describe('a push service', () => {
  it.each([404, 410])('that answers %i gets nothing more for that browser', async (status) => {
    const { service, handoff, subscriptions, settled } = await deskWithPush();
    service.answer('ann', { status });
    await handoff.say('Hello?');
    await eventually(async () => expect(await subscriptions()).toEqual([]));
    await handoff.say('Still there?');
    await settled();
    await service.until('ann', 1);
  });

  it.each([
    [429, { 'retry-after': '1' }],
    [500, {}],
  ])('that answers %i is tried again', async (status, headers) => {
    const { service, handoff, subscriptions } = await deskWithPush();
    service.answer('ann', { status, headers });
    await handoff.say('Hello?');
    await service.until('ann', 2);
    expect(await subscriptions()).toHaveLength(1);
  });

  it('that asks for an hour is given up on, with a line in the log that has no endpoint', async () => {
    const { service, handoff, instance } = await deskWithPush();
    service.answer('ann', { status: 429, headers: { 'retry-after': '3600' } });
    await handoff.say('Hello?');
    const line = await instance.logged.until('a push service did not take a notification');
    expect(line).toMatchObject({ status: 429, host: new URL(service.url).host });
    expect(instance.logged.text()).not.toContain('/push/ann');
  });

  it('that hangs delays no other browser, and not the end of the desk', async () => {
    const { service, ann, handoff, turnOn, instance } = await deskWithPush();
    await turnOn(ann, 'phone');
    service.answer('ann', 'hang');
    await handoff.say('Hello?');
    await service.until('phone', 1);
    await service.until('ann', 1);
    await instance.stop();
  });
});

describe('a subscription ends', () => {
  it('when the agent logs out, and not that of their other browser', async () => {
    const { ann, instance, turnOn, subscriptions } = await deskWithPush();
    const phone = await logIn(instance.url, 'ann', PASSWORD);
    await turnOn(phone, 'phone');
    await ann.logOut();
    expect(await subscriptions()).toMatchObject([{ value: { endpoint: expect.stringMatching(/phone$/) } }]);
    await phone.send('POST', '/api/account/sessions/end', { session: 'all' });
    expect(await subscriptions()).toEqual([]);
  });

  it('when the agent is removed', async () => {
    const { root, subscriptions } = await deskWithPush();
    expect((await root.send('POST', '/api/admin/agents/ann/remove', {})).status).toBe(204);
    expect(await subscriptions()).toEqual([]);
  });

  it('when the agent gets a new password', async () => {
    const { service, instance, handoff, subscriptions } = await deskWithPush();
    await instance.desk.agents.save({ id: 'ann', name: 'Ann' }, 'another correct horse');
    await handoff.say('Hello?');
    await eventually(async () => expect(await subscriptions()).toEqual([]));
    expect(service.received).toEqual([]);
  });

  it('when the agent turns it off, or another agent logs in at the browser', async () => {
    const { service, root, ann, subscriptions, instance } = await deskWithPush();
    const subscription = service.subscribe('shared');
    await ann.send('POST', '/api/push', subscription);
    await root.send('POST', '/api/push', subscription);
    const agentsOf = async () =>
      (await subscriptions()).map(({ value }) => (value as { agent: string }).agent);
    expect((await agentsOf()).toSorted()).toEqual(['ann', 'root']);
    // It is not theirs any more.
    await ann.send('POST', '/api/push/remove', { endpoint: subscription.endpoint });
    expect(await agentsOf()).toHaveLength(2);
    await root.send('POST', '/api/push/remove', { endpoint: subscription.endpoint });
    expect(await agentsOf()).toEqual(['ann']);
    const actions = (await instance.audit()).map(({ agent, action }) => `${agent}: ${action}`);
    expect(actions).toContain('root: push notifications on');
    expect(actions).toContain('root: push notifications off');
  });
});

it('processes that make keys at the same time keep one pair', async () => {
  const store = createMemoryDocumentStore();
  const [first, ...others] = await Promise.all([1, 2, 3].map(() => webPushOn(store).publicKey()));
  expect(first).toMatch(/^[\w-]{87}$/);
  expect(others).toEqual([first, first]);
});

it('processes agree on one pair of keys, which a restart keeps', async () => {
  const { start } = await createDeskEnvironment({ stored: true });
  const [left, right] = [await start(PUSH), await start(PUSH)];
  await left.desk.agents.save({ id: 'ann', name: 'Ann' }, PASSWORD);
  const keyAt = async ({ url }: { readonly url: string }) =>
    (await (await logIn(url, 'ann', PASSWORD)).get<PushView>('/api/push')).body.publicKey;
  const keys = await Promise.all([keyAt(left), keyAt(right)]);
  expect(keys[0]).toMatch(/^[\w-]{87}$/);
  expect(keys[1]).toBe(keys[0]);
  await left.stop();
  await right.stop();
  expect(await keyAt(await start(PUSH))).toBe(keys[0]);
});

it('the desk without it says so to pages, and refuses subscriptions', async () => {
  const service = await startPushService();
  const { start } = await createDeskEnvironment();
  const ann = await (await start({ webPush: false })).agent('ann');
  expect((await ann.state()).hasPush).toBe(false);
  expect((await ann.get('/api/push')).body).toEqual({ publicKey: null });
  expect((await ann.send('POST', '/api/push', service.subscribe('ann'))).status).toBe(400);
});

it('a missing package is named in the log, once', async () => {
  vi.doMock('web-push', () => {
    throw new Error('Cannot find package');
  });
  try {
    const { start } = await createDeskEnvironment();
    const instance = await start(PUSH);
    const ann = await instance.agent('ann');
    for (let asked = 0; asked < 2; asked += 1)
      expect((await ann.get('/api/push')).body).toEqual({ publicKey: null });
    expect(instance.logged.about('Run: npm install web-push')).toHaveLength(1);
  } finally {
    vi.doUnmock('web-push');
  }
});
