import { AsyncLocalStorage } from 'node:async_hooks';
import { tracingChannel } from 'node:diagnostics_channel';
import request from 'supertest';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { DeliveryReceiver } from '../../src/delivery/index.js';
import { channels } from '../../src/diagnostics/index.js';
import type { Steps } from '../../src/public/diagnostics.js';
import { inline, webhookUser } from '../../src/public/index.js';
import { agentSays } from '../bridge/fake-desk.js';
import { setUpBridge, sqliteDelivery } from '../bridge/setup.js';
import { botMessageBody, chatBody, establishBody } from '../fixtures/bodies.js';
import { chatEvent } from '../helpers/events.js';
import { fakePlatform } from '../helpers/fake-platform.js';
import { makeReceiver, start } from '../helpers/start.js';
import { recordSteps } from './record-steps.js';

const post = ({ url }: { url: string }, path: string, body: object) => request(url).post(path).send(body);

describe('the steps of an event', () => {
  it('are published from the request to the answer, with inline delivery', async () => {
    const platform = await fakePlatform();
    const to = await start({ platform: platform.options });
    to.receiver.on('handoff.message', async ({ reply }) => void (await reply('Hello')));
    const steps = recordSteps();
    await post(to, '/chat', chatBody({ conversation_id: 'c-1' }));
    await steps.until('request');
    expect(steps.order()).toEqual([
      'request (',
      'accept (',
      'handle (',
      'reply (',
      'send (',
      'platform (',
      ') platform',
      ') send',
      ') reply',
      ') handle',
      ') accept',
      ') request',
    ]);
    const { receiver } = to;
    expect(steps.ended('request')).toMatchObject([
      { receiver, endpoint: 'chat', method: 'POST', status: 200 },
    ]);
    expect(steps.ended('accept')).toMatchObject([
      { receiver, event: 'handoff.message', conversationId: 'c-1', isStored: false, result: 'handled' },
    ]);
    expect(steps.ended('handle')).toMatchObject([
      { receiver, event: 'handoff.message', attempt: 1, isStored: false, result: 'handled' },
    ]);
    expect(steps.ended('send')).toMatchObject([{ receiver, kind: 'reply', conversationId: 'c-1' }]);
    expect(steps.ended('platform')).toMatchObject([
      { endpoint: 'reply', method: 'POST', resends: 0, status: 200, failure: null },
    ]);
  });

  it("are published across the queues, with a subscriber's trace", async () => {
    const platform = await fakePlatform();
    const { receiver } = makeReceiver({ platform: platform.options, delivery: await sqliteDelivery() });
    onTestFinished(async () => void (await receiver.close({ timeoutMs: 1_000 })));
    receiver.on('handoff.message', async ({ reply, end }) => {
      await reply('Hello');
      await end();
    });
    const steps = recordSteps((step, message) => {
      if (step === 'accept' || step === 'reply') Object.assign(message, { trace: { traceparent: step } });
    });
    await receiver.start();
    const answered = await receiver.fetch(
      new Request('http://localhost/chat', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(chatBody()),
      }),
    );
    expect(answered.status).toBe(200);
    await steps.until('send', 2);
    expect(steps.ended('accept')).toMatchObject([{ isStored: true, result: 'stored' }]);
    expect(steps.ended('handle')).toMatchObject([{ isStored: true, trace: { traceparent: 'accept' } }]);
    expect(steps.ended('reply')).toMatchObject([
      { kind: 'reply', isStored: true },
      { kind: 'end', isStored: true },
    ]);
    expect(steps.ended('send')).toMatchObject([
      { kind: 'reply', isStored: true, trace: { traceparent: 'reply' } },
      { kind: 'end', isStored: true, trace: { traceparent: 'reply' } },
    ]);
  });

  it("end with a handler's error, which is also published as a failure", async () => {
    const to = await start();
    const error = new Error('handler failed');
    to.receiver.on('message', () => {
      throw error;
    });
    const steps = recordSteps();
    expect((await post(to, '/', botMessageBody({ conversation_id: 'c-9' }))).status).toBe(500);
    expect(steps.ended('handle')).toMatchObject([{ event: 'message', error }]);
    expect(steps.ended('accept')).toMatchObject([{ result: 'failed' }]);
    expect(steps.ended('request')).toMatchObject([{ status: 500 }]);
    expect(steps.failures).toMatchObject([
      { receiver: to.receiver, error, event: 'message', conversationId: 'c-9' },
    ]);
  });

  it('name an event that middleware skipped', async () => {
    const to = await start();
    to.receiver.use((_context, next) => next.skip('no'));
    const steps = recordSteps();
    await post(to, '/', botMessageBody());
    expect(steps.ended('handle')).toMatchObject([{ result: 'skipped' }]);
  });

  it('include refused requests and probes, but no requests to other paths', async () => {
    const to = await start({ auth: { message: webhookUser({ username: 'acme' }), handoff: false } });
    const steps = recordSteps();
    await post(to, '/', botMessageBody());
    await request(to.url).post('/').set('authorization', 'Bearer acme').send({ istest: true });
    await post(to, '/elsewhere', {});
    expect(steps.ended('request')).toMatchObject([
      { endpoint: 'message', status: 401 },
      { endpoint: 'message', status: 200 },
    ]);
    expect(steps.order()).not.toContain('accept (');
  });

  it('include the greeting, which is not part of the request', async () => {
    const platform = await fakePlatform();
    const to = await start({ platform: platform.options, greeting: 'One moment' });
    const steps = recordSteps();
    await post(to, '/conversation/establish', establishBody({ conversation_id: 'c-2' }));
    await steps.until('greet');
    expect(steps.ended('greet')).toMatchObject([{ event: 'handoff.requested', conversationId: 'c-2' }]);
    expect(steps.order().indexOf(') request')).toBeGreaterThan(-1);
  });

  it("include calls to an adapter and its helpdesk's webhooks", async () => {
    const steps = recordSteps();
    const { bench, receiver, sendEvents } = await setUpBridge();
    await bench.requestHandoff();
    await sendEvents(agentSays('Hello'));
    await bench.nextReply();
    expect(steps.ended('adapter')).toMatchObject([{ receiver, adapter: 'fake-desk', operation: 'open' }]);
    expect(steps.ended('webhook')).toMatchObject([
      { receiver, adapter: 'fake-desk', method: 'POST', status: 200 },
    ]);
  });
});

describe('a step', () => {
  it('runs in the store that a subscriber bound to its start', async () => {
    const store = new AsyncLocalStorage<string>();
    const { start: begin } = tracingChannel('handoff-kit:handle');
    begin.bindStore(store, (message) => `in ${(message as Steps['handle']).event}`);
    onTestFinished(() => void begin.unbindStore(store));
    const to = await start();
    const seen: unknown[] = [];
    to.receiver.on('message', () => seen.push(store.getStore()));
    await post(to, '/', botMessageBody());
    expect(seen).toEqual(['in message']);
  });

  it("runs in a subscriber's context that sets around", async () => {
    const store = new AsyncLocalStorage<string>();
    recordSteps((step, message) => {
      if (step === 'handle') message.around = (run) => store.run('around', run);
    });
    const to = await start();
    const seen: unknown[] = [];
    to.receiver.on('message', async () => {
      await new Promise(setImmediate);
      seen.push(store.getStore());
    });
    await post(to, '/', botMessageBody());
    expect(seen).toEqual(['around']);
  });

  it('is the step itself without subscribers, with the same result', async () => {
    // Tests of other files that run in this process unsubscribe when their receivers have closed.
    await vi.waitFor(() => expect(channels.handle.hasSubscribers).toBe(false));
    const delivery = inline();
    let host: DeliveryReceiver | undefined;
    const { receiver } = makeReceiver({
      delivery: {
        ...delivery,
        connect(given) {
          host = given;
          delivery.connect(given);
        },
      },
      auth: { message: webhookUser({ username: 'acme' }), handoff: false },
    });
    const run = { attempt: 1, signal: new AbortController().signal };
    const event = { ...chatEvent('c'), name: 'message', body: botMessageBody() } as never;
    expect(await host?.handle(event, run)).toBe('handled');
    recordSteps();
    expect(await host?.handle(event, run)).toBe('handled');
    await receiver.close();
  });
});
