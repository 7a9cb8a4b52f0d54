import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import type { EscalationNotice, EscalationOptions } from '../../src/desk/index.js';
import { createConversationRecords } from '../../src/desk/server/conversations/conversation-records.js';
import { createDeskConversations } from '../../src/desk/server/conversations/index.js';
import { createEscalation } from '../../src/desk/server/notify/escalation.js';
import { createMemoryDocumentStore } from '../../src/desk/server/store/memory-document-store.js';
import { silentLog } from '../../src/internal/index.js';
import { SESSION } from '../fixtures/adapter-session.js';
import { logLines } from '../helpers/log-lines.js';
import { serve } from '../helpers/serve.js';
import { eventually } from './agent-client.js';
import { createDeskEnvironment } from './desk-environment.js';
import { sampleRecord } from './sample-record.js';

/** Half a second. */
const AFTER_MINUTES = 0.5 / 60;

/** A receiver of webhooks that keeps what it got. The answers are 200, or those that are given, one after another. */
async function startHook(...answers: readonly [status: number, headers?: Record<string, string>][]) {
  const received: (EscalationNotice & { readonly text?: string })[] = [];
  const left = [...answers];
  const { url } = await serve((request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push(JSON.parse(Buffer.concat(chunks).toString()));
      response.writeHead(...(left.shift() ?? ([200] as const))).end();
    });
  });
  return { url: `${url}/token-of-the-hook`, received };
}

async function deskWith(to: EscalationOptions['to'], processes = 1) {
  const { bench, start } = await createDeskEnvironment({ stored: true });
  const startOne = () =>
    start({
      publicUrl: 'https://help.example.com/desk',
      escalation: { afterMinutes: AFTER_MINUTES, to },
    });
  const instances = await Promise.all(Array.from({ length: processes }, startOne));
  return { bench, startOne, instances };
}

const ids = (received: readonly EscalationNotice[]): string[] =>
  received.map(({ conversationId }) => conversationId);

it('a conversation that waits is reported once, with a link and without words of the customer', async () => {
  const webhook = await startHook();
  const slack = await startHook();
  const { bench } = await deskWith({ webhook: webhook.url, slack: slack.url });
  const first = await bench.requestHandoff({ user: { userId: 'maria' } });
  await first.say('My card number is 1234.');
  await eventually(() => expect(webhook.received).toHaveLength(1));
  // Another one comes later: by then, the first would have come again.
  const second = await bench.requestHandoff({ user: { userId: 'otto' } });
  await eventually(() => expect(ids(webhook.received)).toEqual([first.id, second.id]));
  const [notice] = webhook.received;
  expect(notice).toMatchObject({
    conversationId: first.id,
    url: expect.stringMatching(/^https:\/\/help\.example\.com\/desk\/#\/.+/),
    waitedSeconds: expect.any(Number),
    isFirstAnswer: true,
    agent: null,
  });
  expect(Date.parse(notice?.waitingSince ?? '')).toBeLessThanOrEqual(Date.now());
  await eventually(() => expect(slack.received).toHaveLength(2));
  expect(slack.received[0]?.text).toMatch(/^A conversation has waited \d+ seconds for its first answer: </);
  expect(slack.received[0]?.text).toContain(`<${notice?.url}|open it at the desk>`);
  expect(JSON.stringify([webhook.received, slack.received])).not.toMatch(/1234|maria/);
});

it('processes report it once, and a restart does not report it again', async () => {
  const hook = await startHook();
  const { bench, startOne, instances } = await deskWith({ webhook: hook.url }, 3);
  const first = await bench.requestHandoff({ user: { userId: 'maria' } });
  await eventually(() => expect(ids(hook.received)).toEqual([first.id]));
  for (const instance of instances) await instance.stop();
  await startOne();
  const second = await bench.requestHandoff({ user: { userId: 'otto' } });
  await eventually(() => expect(ids(hook.received)).toContain(second.id));
  expect(ids(hook.received)).toEqual([first.id, second.id]);
});

/** The escalation of conversations in memory. */
async function escalationOf(to: EscalationOptions['to'], afterMinutes = AFTER_MINUTES) {
  const store = createMemoryDocumentStore();
  const records = createConversationRecords(store);
  const logged = logLines();
  const escalation = createEscalation({
    store,
    log: logged.log,
    options: { afterMinutes, to },
    urlOf: (id) => `https://help.example.com/desk/#/${id}`,
    minRetryMs: 50,
  });
  onTestFinished(() => escalation.stop());
  const long = Date.now() - 3_600_000;
  const add = (id: string, more = {}) =>
    records.add({ record: sampleRecord(id, { unansweredSince: long, ...more }), events: [] });
  const change = (id: string, more: object) =>
    records.change(id, (record) => ({ record: { ...record, ...more }, events: [] }));
  /** Waits until a conversation that comes now was reported: what was to be reported before has been. */
  const settled = async (received: readonly EscalationNotice[], id: string): Promise<void> => {
    await add(id);
    await eventually(() => expect(ids(received)).toContain(id));
  };
  return { escalation, store, logged, add, change, settled };
}

it('a wait ends with a reply, and further messages do not begin another; the next one is reported again', async () => {
  const hook = await startHook();
  const { escalation, store, settled } = await escalationOf({ webhook: hook.url });
  const { customerActions, agentActions } = createDeskConversations(store, silentLog, false);
  const one = SESSION.conversationId;
  const say = (key: string) => customerActions.addMessage(SESSION.key, { key, text: 'Hello?', sentAt: null });
  escalation.start();
  await customerActions.open(SESSION);
  await eventually(() => expect(ids(hook.received)).toEqual([one]));
  await say('first');
  await settled(hook.received, 'two');
  const ann = { id: 'ann', name: 'Ann', role: 'agent' } as const;
  await agentActions.reply(ann, SESSION.key, 'reply', 'Here I am.');
  await settled(hook.received, 'three');
  expect(ids(hook.received)).toEqual([one, 'two', 'three']);
  await say('second');
  await say('third');
  await eventually(() => expect(ids(hook.received)).toEqual([one, 'two', 'three', one]));
  expect(hook.received[0]).toMatchObject({ agent: null, url: expect.stringContaining(SESSION.key) });
  expect(hook.received[3]).toMatchObject({ agent: 'ann' });
  expect(hook.received[3]?.id).not.toBe(hook.received[0]?.id);
});

it('conversations that are answered, snoozed, closed or new are not reported', async () => {
  const hook = await startHook();
  const { escalation, add } = await escalationOf({ webhook: hook.url }, 30);
  await add('answered', { unansweredSince: null });
  await add('snoozed', { snoozedUntil: Date.now() + 3_600_000 });
  await add('closed', { state: 'closed' });
  await add('new', { unansweredSince: Date.now() - 60_000 });
  await add('of an older version', { unansweredSince: undefined });
  await add('due');
  escalation.start();
  await eventually(() => expect(ids(hook.received)).toContain('due'));
  await escalation.stop();
  expect(ids(hook.received)).toEqual(['due']);
});

it('a channel that fails is tried again, without the others; the log has the reason and no address', async () => {
  const slack = await startHook([500], [429, { 'retry-after': '1' }], [404]);
  const webhook = await startHook();
  const { escalation, add, logged } = await escalationOf({ slack: slack.url, webhook: webhook.url });
  escalation.start();
  await add('one');
  await eventually(() => expect(slack.received).toHaveLength(4));
  expect(webhook.received).toHaveLength(1);
  const lines = logged.about('the team could not be told that a conversation waits');
  expect(lines.map(({ channel, reason }) => [channel, reason])).toEqual([
    ['slack', 'answered 500'],
    ['slack', 'answered 429'],
    ['slack', 'answered 404'],
  ]);
  expect(logged.text()).not.toContain('token-of-the-hook');
});

it('the record of a conversation that has ended is removed', async () => {
  const hook = await startHook();
  const { escalation, store, add, change } = await escalationOf({ webhook: hook.url });
  escalation.start();
  await add('one');
  await eventually(async () => expect(await store.list('escalation')).toHaveLength(1));
  await change('one', { state: 'closed' });
  await eventually(async () => expect(await store.list('escalation')).toEqual([]));
});
