import express from 'express';
import request from 'supertest';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { channels } from '../../src/diagnostics/index.js';
import { metricsHandler } from '../../src/metrics/index.js';
import { createReceiver, webhookUser } from '../../src/public/index.js';
import { agentSays } from '../bridge/fake-desk.js';
import { setUpBridge, sqliteDelivery } from '../bridge/setup.js';
import { botMessageBody, chatBody } from '../fixtures/bodies.js';
import { deferred } from '../helpers/deferred.js';
import { flakyPlatform } from '../helpers/fake-platform.js';
import { makeReceiver } from '../helpers/start.js';

const post = (app: express.Express, path: string, body: object) => request(app).post(path).send(body);

describe('metricsHandler', () => {
  it('gives a mounted receiver its metrics, in Express and by Fetch', async () => {
    const platform = await flakyPlatform();
    const { receiver } = makeReceiver({ platform: platform.options, delivery: await sqliteDelivery() });
    onTestFinished(async () => void (await receiver.close({ timeoutMs: 1_000 })));
    receiver.on('handoff.message', async ({ reply }) => void (await reply('Hello')));
    const metrics = metricsHandler(receiver);
    const app = express().get('/metrics', metrics).use('/webhook', receiver);
    await receiver.start();
    await post(app, '/webhook', botMessageBody());
    await post(app, '/webhook/chat', chatBody());
    await post(app, '/webhook/chat', { conversation_id: {} });
    await vi.waitFor(async () => {
      expect((await request(app).get('/metrics')).text).toContain('{queue="outbox",outcome="ok"} 1\n');
    });
    const answer = await request(app).get('/metrics');
    expect(answer.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    for (const line of [
      'handoff_kit_requests_total{endpoint="message",status="200"} 1',
      'handoff_kit_requests_total{endpoint="chat",status="200"} 1',
      'handoff_kit_requests_total{endpoint="chat",status="400"} 1',
      'handoff_kit_request_duration_seconds_count{endpoint="chat"} 2',
      'handoff_kit_events_total{event="message",outcome="stored"} 1',
      'handoff_kit_attempts_total{queue="inbox",outcome="ok"} 2',
      'handoff_kit_handler_duration_seconds_count{event="message"} 1',
      'handoff_kit_queue_wait_seconds_count{queue="inbox"} 2',
      'handoff_kit_lag_seconds_count{queue="outbox"} 1',
      'handoff_kit_database_up 1',
      'handoff_kit_outbox_paused 0',
    ]) {
      expect(answer.text).toContain(`${line}\n`);
    }
    const fetched = await metrics.fetch(new Request('http://localhost/metrics'));
    expect(fetched.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(await fetched.text()).toContain('handoff_kit_requests_total{endpoint="chat",status="400"} 1\n');
  });

  it("counts failed runs and each attempt, and an event's wait once", async () => {
    const delivery = await sqliteDelivery();
    const { receiver } = makeReceiver({ delivery });
    onTestFinished(async () => void (await receiver.close({ timeoutMs: 1_000 })));
    receiver.on('message', ({ attempt }) => {
      if (attempt === 1) throw new Error('the handler failed');
    });
    const metrics = metricsHandler(receiver);
    await receiver.start();
    const app = express().use(receiver);
    await post(app, '/', botMessageBody());
    const text = async () => (await metrics.fetch()).text();
    await vi.waitFor(async () => expect(await text()).toContain('{queue="inbox",outcome="ok"} 1\n'), {
      timeout: 10_000,
    });
    expect(await text()).toContain('handoff_kit_attempts_total{queue="inbox",outcome="failed"} 1\n');
    expect(await text()).toContain('handoff_kit_handler_duration_seconds_count{event="message"} 2\n');
    expect(await text()).toContain('handoff_kit_queue_wait_seconds_count{queue="inbox"} 1\n');
  });

  it('distinguishes several bots', async () => {
    const receiver = createReceiver({
      bots: {
        sales: { auth: { message: webhookUser({ username: 'sales' }), handoff: false } },
        support: { auth: { message: webhookUser({ username: 'support' }), handoff: false } },
      },
      log: false,
    });
    receiver.on('message', () => undefined);
    const metrics = metricsHandler(receiver);
    for (const bot of ['sales', 'support', 'support'])
      await request(express().use(receiver))
        .post('/')
        .set('authorization', `Bearer ${bot}`)
        .send(botMessageBody());
    const text = await (await metrics.fetch()).text();
    expect(text).toContain('handoff_kit_events_total{event="message",outcome="handled",bot="sales"} 1\n');
    expect(text).toContain('handoff_kit_events_total{event="message",outcome="handled",bot="support"} 2\n');
    expect(text).toContain('handoff_kit_handler_duration_seconds_count{event="message",bot="support"} 2\n');
    await receiver.close();
  });

  it('counts only its own receiver, until it has closed', async () => {
    const [one, other] = [makeReceiver().receiver, makeReceiver().receiver];
    const metrics = metricsHandler(one);
    await post(express().use(other), '/', botMessageBody());
    expect(await (await metrics.fetch()).text()).not.toContain('handoff_kit_requests_total{');
    await post(express().use(one), '/', botMessageBody());
    expect(await (await metrics.fetch()).text()).toContain('handoff_kit_requests_total{');
    await one.close();
    await vi.waitFor(() => expect(channels.request.hasSubscribers).toBe(false));
  });

  it('ignores a handler that was running when it was created', async () => {
    const { receiver } = makeReceiver();
    const gate = deferred();
    const running = deferred();
    receiver.on('message', () => {
      running.resolve();
      return gate.promise;
    });
    // The step is published because of another subscriber.
    const other = makeReceiver().receiver;
    metricsHandler(other);
    const answered = post(express().use(receiver), '/', botMessageBody()).then(({ status }) => status);
    await running.promise;
    const metrics = metricsHandler(receiver);
    gate.resolve();
    expect(await answered).toBe(200);
    expect(await (await metrics.fetch()).text()).not.toContain('_count{event="message"}');
    await Promise.all([receiver.close(), other.close()]);
  });

  it("counts bridges' events and webhooks", async () => {
    const { bench, bridge, receiver, sendEvents } = await setUpBridge();
    const metrics = metricsHandler(receiver, { bridges: { 'fake-desk': bridge } });
    await bench.requestHandoff();
    await sendEvents(agentSays('Hello'));
    await bench.nextReply();
    const text = await (await metrics.fetch()).text();
    expect(text).toContain('handoff_kit_adapter_events_total{adapter="fake-desk",type="opened"} 1\n');
    expect(text).toContain('handoff_kit_requests_total{endpoint="adapter",status="200"} 1\n');
  });
});
