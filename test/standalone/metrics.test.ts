import { join } from 'node:path';
import { Registry } from 'prom-client';
import { describe, expect, it, vi } from 'vitest';
import type { Delivery, QueueAdmin } from '../../src/delivery/index.js';
import { openSqliteDatabase, sqlite } from '../../src/delivery/sqlite/index.js';
import { registerQueues } from '../../src/metrics/collect.js';
import { botMessageBody, chatBody } from '../fixtures/bodies.js';
import { basicHeader, PATH_TOKEN, SECRET, USERNAME } from '../helpers/credentials.js';
import { API_KEY, flakyPlatform } from '../helpers/fake-platform.js';
import { temporaryFolder } from './databases.js';
import { startStandalone } from './in-process.js';
import { post } from './program.js';
import { WAIT_OPTIONS } from './wait-options.js';

const authorization = basicHeader(USERNAME, SECRET);
const metricsOf = async (url: string): Promise<string> => (await fetch(`${url}/metrics`)).text();

/** A program after one of each: a stored event, a repeat, a refused request, a reply. */
async function afterTraffic(delivery: Delivery | null, platformAnswers = 200) {
  const platform = await flakyPlatform(() => ({ status: platformAnswers }));
  const started = await startStandalone(
    {
      PLATFORM_BASE_URL: platform.options.baseUrl,
      PLATFORM_API_KEY: API_KEY,
      AUTO_REPLY: 'You said: {text}',
    },
    delivery,
  );
  const { url } = started;
  const message = botMessageBody();
  await post(`${url}/webhook`, message, { authorization });
  await post(`${url}/webhook`, message, { authorization });
  await post(`${url}/webhook`, message, { authorization: basicHeader(USERNAME, 'wrong') });
  await post(`${url}/webhook/${PATH_TOKEN}/chat`, chatBody({ conversation_id: 'c-1' }));
  await post(`${url}/webhook/${PATH_TOKEN}/chat`, { conversation_id: {} });
  await fetch(`${url}/${PATH_TOKEN}?c-1`);
  await vi.waitFor(() => expect(platform.calls).toHaveLength(1), WAIT_OPTIONS);
  return started;
}

/** The metrics of these queues alone. */
async function queueMetrics(
  queues: Pick<QueueAdmin, 'depth' | 'outboxes'>,
  timeoutMs?: number,
): Promise<string> {
  const registry = new Registry();
  await registerQueues(registry, queues, timeoutMs)();
  return registry.metrics();
}

const durable = (): Delivery => sqlite({ file: join(temporaryFolder(), 'x.db') });

describe('metrics', () => {
  it('count requests by endpoint and status, events by outcome, and attempts, and time all of them', async () => {
    const { url } = await afterTraffic(durable());
    await vi.waitFor(
      async () => expect(await metricsOf(url)).toContain('waiting{queue="outbox"} 0\n'),
      WAIT_OPTIONS,
    );
    const metrics = await metricsOf(url);
    for (const line of [
      'handoff_kit_requests_total{endpoint="message",status="200"} 2',
      'handoff_kit_requests_total{endpoint="message",status="401"} 1',
      'handoff_kit_requests_total{endpoint="chat",status="200"} 1',
      'handoff_kit_requests_total{endpoint="chat",status="400"} 1',
      'handoff_kit_requests_total{endpoint="other",status="404"} 1',
      'handoff_kit_events_total{event="message",outcome="stored"} 1',
      'handoff_kit_events_total{event="message",outcome="duplicate"} 1',
      'handoff_kit_events_total{event="handoff.message",outcome="stored"} 1',
      'handoff_kit_attempts_total{queue="inbox",outcome="ok"} 2',
      'handoff_kit_attempts_total{queue="outbox",outcome="ok"} 1',
      'handoff_kit_request_duration_seconds_count{endpoint="message"} 3',
      'handoff_kit_handler_duration_seconds_count{event="message"} 1',
      'handoff_kit_handler_duration_seconds_bucket{le="+Inf",event="handoff.message"} 1',
      'handoff_kit_queue_wait_seconds_count{queue="inbox"} 2',
      'handoff_kit_lag_seconds_count{queue="inbox"} 2',
      'handoff_kit_lag_seconds_count{queue="outbox"} 1',
      'handoff_kit_database_up 1',
      'handoff_kit_outbox_paused 0',
      'handoff_kit_queue_waiting{queue="inbox"} 0',
      'handoff_kit_queue_dead{queue="outbox"} 0',
      'handoff_kit_queue_oldest_age_seconds{queue="inbox"} 0',
    ]) {
      expect(metrics).toContain(`${line}\n`);
    }
    expect(metrics).toMatch(/^process_uptime_seconds \d/m);
  });

  it('are in the Prometheus text format, with help and type for each metric', async () => {
    const { url } = await afterTraffic(durable());
    const answer = await fetch(`${url}/metrics`);
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const text = await answer.text();
    const lines = text.split('\n').filter((line) => line !== '');
    for (const line of lines) {
      expect(line).toMatch(
        /^(# HELP \w+ .+|# TYPE \w+ (counter|gauge|histogram)|\w+(\{\w+="[^"]*"(,\w+="[^"]*")*\})? [\d.e+-]+)$/,
      );
    }
    const named = lines.filter((line) => !line.startsWith('#')).map((line) => line.split(/[{ ]/)[0] ?? '');
    for (const name of named) expect(text).toContain(`# TYPE ${name.replace(/_(sum|count|bucket)$/, '')} `);
    expect(text.endsWith('\n')).toBe(true);
  });

  it('contain no personal data and no token', async () => {
    const { url } = await afterTraffic(durable());
    const metrics = await metricsOf(url);
    for (const hidden of [PATH_TOKEN, 'c-1', 'user-', 'conversation-']) expect(metrics).not.toContain(hidden);
  });

  it('show the number of dead letters and the age of the oldest waiting item', async () => {
    const { url } = await afterTraffic(durable(), 400);
    await vi.waitFor(
      async () => expect(await metricsOf(url)).toContain('dead{queue="outbox"} 1\n'),
      WAIT_OPTIONS,
    );
    expect(await metricsOf(url)).toContain('attempts_total{queue="outbox",outcome="failed"} 1\n');
    const oldestAt = new Date(Date.now() - 60_000);
    const metrics = await queueMetrics({
      depth: async () => ({ waiting: 3, dead: 0, oldestAt }),
      outboxes: async () => [],
    });
    expect(metrics).toMatch(/oldest_age_seconds\{queue="inbox"\} 6\d/);
  });

  it('show that the outbox is paused because the platform refuses the API key', async () => {
    const { url } = await afterTraffic(durable(), 401);
    await vi.waitFor(
      async () => expect(await metricsOf(url)).toContain('handoff_kit_outbox_paused 1\n'),
      WAIT_OPTIONS,
    );
  });

  it('show that the database does not answer, and still show the rest', async () => {
    const file = join(temporaryFolder(), 'x.db');
    const delivery = sqlite({ file });
    const { queues, close } = await openSqliteDatabase(file);
    const { url } = await afterTraffic({ ...delivery, queues });
    await close();
    const metrics = await metricsOf(url);
    expect(metrics).toContain('handoff_kit_database_up 0\n');
    expect(metrics).toContain('handoff_kit_requests_total');
    expect(metrics).not.toContain('handoff_kit_queue_waiting{');
    const hanging = { depth: () => new Promise<never>(() => {}), outboxes: async () => [] };
    expect(await queueMetrics(hanging, 5)).toContain('handoff_kit_database_up 0\n');
  });

  it('work without a database', async () => {
    const { url } = await afterTraffic(null);
    const metrics = await metricsOf(url);
    expect(metrics).toContain('handoff_kit_queue_waiting{queue="inbox"} 0\n');
    expect(metrics).toContain('handoff_kit_events_total{event="message",outcome="handled"} 1\n');
    expect(metrics).toContain('handoff_kit_attempts_total{queue="outbox",outcome="ok"} 1\n');
    expect(metrics).not.toContain('database_up');
  });
});
