import { type RequestHandler, Router } from 'express';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { BridgeStats } from '../bridge/index.js';
import type { ServiceClient } from '../client/index.js';
import type { Delivery, QueueAdmin, QueueDepth, QueueName } from '../delivery/index.js';
import { agentField, DEFAULT_AGENT } from '../events/index.js';
import { settlesWithin } from '../internal/index.js';
import { HANDOFF_PATHS, type WebhookEndpoint } from '../protocol/index.js';

/** Upper bounds in seconds for work within one request or one handler run. */
const DURATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** Upper bounds in seconds for waiting, which lasts minutes while the platform or the handlers fail. */
const WAIT_BUCKETS = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600, 21_600];

/** A scrape does not wait longer for the database; the other metrics are still exposed. */
const DATABASE_TIMEOUT_MS = 2_000;

/** The metrics of the program, in a registry of their own. */
export interface Metrics {
  /** Wraps a delivery: counts accepted events, and counts and times each run of their handlers. */
  instrumentDelivery(delivery: Delivery): Delivery;
  /** Wraps the client of an agent: counts and times each reply and close. */
  instrumentClient(client: ServiceClient, agent: string): ServiceClient;
  /** Creates middleware that counts and times every answer. */
  countRequests(mountPath: string, agents: readonly string[]): RequestHandler;
  /** The registry that `GET /metrics` exposes. */
  readonly registry: Registry;
}

/**
 * Creates the metrics. Labels are names from this code only: never ids of users, and never text that a sender
 * chooses, which would let a sender create any number of series. With several agents, the label `agent` tells which.
 */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Counter({
    name: 'handoff_kit_requests_total',
    help: 'Answered requests, by endpoint and HTTP status.',
    labelNames: ['endpoint', 'status'],
    registers,
  });
  const requestDuration = new Histogram({
    name: 'handoff_kit_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its answer, by endpoint; without the desk.',
    labelNames: ['endpoint'],
    buckets: DURATION_BUCKETS,
    registers,
  });
  const events = new Counter({
    name: 'handoff_kit_events_total',
    help: 'Valid events, by event and by what the receiver did with them on arrival.',
    labelNames: ['event', 'outcome', 'agent'],
    registers,
  });
  const attempts = new Counter({
    name: 'handoff_kit_attempts_total',
    help: 'Attempts, by queue and outcome: handler runs (inbox), replies and closes sent (outbox).',
    labelNames: ['queue', 'outcome', 'agent'],
    registers,
  });
  const handlerDuration = new Histogram({
    name: 'handoff_kit_handler_duration_seconds',
    help: 'Duration of one handler run, failed runs included, by event.',
    labelNames: ['event', 'agent'],
    buckets: DURATION_BUCKETS,
    registers,
  });
  const queueWait = new Histogram({
    name: 'handoff_kit_queue_wait_seconds',
    help: 'Time from the arrival of an event to its first handler run.',
    labelNames: ['queue', 'agent'],
    buckets: WAIT_BUCKETS,
    registers,
  });
  const lag = new Histogram({
    name: 'handoff_kit_lag_seconds',
    help: 'Time from received to handled (inbox), and from written to accepted by the platform (outbox).',
    labelNames: ['queue', 'agent'],
    buckets: WAIT_BUCKETS,
    registers,
  });

  const measured = async <Result>(
    labels: { readonly queue: QueueName; readonly agent?: string },
    createdAt: number,
    attempt: () => Promise<Result>,
  ): Promise<Result> => {
    try {
      const result = await attempt();
      attempts.inc({ ...labels, outcome: 'ok' });
      lag.observe(labels, secondsSince(createdAt));
      return result;
    } catch (error) {
      attempts.inc({ ...labels, outcome: 'failed' });
      throw error;
    }
  };

  return {
    instrumentDelivery: (delivery) => ({
      ...delivery,
      connect: (host) =>
        delivery.connect({
          ...host,
          handle(event, run) {
            const labels = { queue: 'inbox', ...agentField(event.agent) } as const;
            if (run.attempt === 1) queueWait.observe(labels, secondsSince(event.receivedAt));
            const stop = handlerDuration.startTimer({ event: event.name, ...agentField(event.agent) });
            return measured(labels, event.receivedAt, async () => host.handle(event, run)).finally(stop);
          },
        }),
      async accept(event) {
        const outcome = await delivery.accept(event);
        events.inc({ event: event.name, outcome, ...agentField(event.agent) });
        return outcome;
      },
    }),
    instrumentClient(client, agent) {
      const labels = { queue: 'outbox', ...agentField(agent) } as const;
      return {
        ...client,
        reply: (input, options) =>
          measured(labels, input.timestamp ?? Date.now(), () => client.reply(input, options)),
        end: (input, options) =>
          measured(labels, input.timestamp ?? Date.now(), () => client.end(input, options)),
      };
    },
    countRequests(mountPath, agents) {
      const endpointOf = createEndpointOf(mountPath, agents);
      return ({ path }, response, next) => {
        const endpoint = endpointOf(path);
        // The desk keeps event streams open for hours, which says nothing about how fast it answers.
        const stop = endpoint === 'desk' ? undefined : requestDuration.startTimer({ endpoint });
        response.once('finish', () => {
          requests.inc({ endpoint, status: String(response.statusCode) });
          stop?.();
        });
        next();
      };
    },
    registry,
  };
}

const secondsSince = (time: number): number => Math.max(0, Date.now() - time) / 1_000;

/** The name of an endpoint as a label. */
type EndpointLabel = WebhookEndpoint | 'adapter' | 'desk' | 'other';

const HANDOFF_ENDPOINTS = Object.entries(HANDOFF_PATHS) as [WebhookEndpoint, string][];

/** Creates a function that maps a path to its endpoint. Path tokens never become part of a label. */
function createEndpointOf(mountPath: string, agents: readonly string[]): (path: string) => EndpointLabel {
  const base = mountPath === '/' ? '' : mountPath;
  const withoutAgent = (rest: string): string => {
    const [, name = '', ...others] = rest.split('/');
    return agents.includes(name) ? others.map((segment) => `/${segment}`).join('') : rest;
  };
  return (path) => {
    if (/^\/adapters(?:\/|$)/i.test(path)) return 'adapter';
    if (/^\/desk(?:\/|$)/i.test(path)) return 'desk';
    const trimmed = path.replace(/\/$/, '');
    if (trimmed === base) return 'message';
    if (!trimmed.startsWith(`${base}/`)) return 'other';
    const rest = withoutAgent(trimmed.slice(base.length));
    if (rest === '') return 'message';
    const withoutToken = rest.replace(/^\/[^/]+/, '');
    const found = HANDOFF_ENDPOINTS.find(([, end]) => rest === end || withoutToken === end);
    return found?.[0] ?? 'other';
  };
}

/** The parts whose numbers are read at each scrape. */
export interface MetricsSources {
  /** The stored queues; `null` without a database. */
  readonly queues: Pick<QueueAdmin, 'depth' | 'outboxes'> | null;
  readonly agents: readonly string[];
  /** Whether the replies of an agent wait because the platform refuses the API key or has moved. */
  readonly isOutboxPaused: (agent: string) => boolean;
  /** The number of events accepted and not handled; used without a database. */
  readonly pending: () => Promise<number>;
  /** The connected adapter; `null` without one. */
  readonly adapter: { readonly name: string; stats(): BridgeStats } | null;
}

/** `GET /metrics`. It needs no authentication, like the health checks: the numbers hold nothing personal. */
export function metricsRoute(
  { registry }: Metrics,
  { queues, agents, isOutboxPaused, pending, adapter }: MetricsSources,
): Router {
  registerUptime(registry);
  if (queues) registerOutboxPause(registry, agents, isOutboxPaused);
  if (adapter) registerAdapter(registry, adapter);
  const refreshQueues = queues ? registerQueues(registry, queues) : registerPending(registry, pending);
  return Router().get('/metrics', async (_request, response) => {
    await refreshQueues();
    response.set('content-type', registry.contentType).send(await registry.metrics());
  });
}

function registerUptime(registry: Registry): void {
  const uptime = new Gauge({
    name: 'process_uptime_seconds',
    help: 'Time since the process started.',
    registers: [],
    collect() {
      this.set(Math.round(process.uptime() * 1_000) / 1_000);
    },
  });
  registry.registerMetric(uptime);
}

function registerOutboxPause(
  registry: Registry,
  agents: readonly string[],
  isOutboxPaused: MetricsSources['isOutboxPaused'],
): void {
  const paused = new Gauge({
    name: 'handoff_kit_outbox_paused',
    help: 'Whether replies wait because the platform refuses the API key or has moved: 1 or 0.',
    labelNames: ['agent'],
    registers: [],
    collect() {
      for (const agent of agents) this.set(agentField(agent), isOutboxPaused(agent) ? 1 : 0);
    },
  });
  registry.registerMetric(paused);
}

function registerAdapter(registry: Registry, adapter: NonNullable<MetricsSources['adapter']>): void {
  const adapterEvents = new Counter({
    name: 'handoff_kit_adapter_events_total',
    help: 'Events between users and the human-service system, by type. "dropped" are echoes, notes and repeats, "forged" are webhooks with a wrong signature.',
    labelNames: ['adapter', 'type'],
    registers: [],
    // The bridge keeps its own counts, so they replace the values of the last scrape.
    collect() {
      this.reset();
      for (const [type, count] of Object.entries(adapter.stats())) {
        this.inc({ adapter: adapter.name, type: snakeCase(type) }, count);
      }
    },
  });
  registry.registerMetric(adapterEvents);
}

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function registerPending(registry: Registry, pending: () => Promise<number>): () => Promise<void> {
  const waiting = new Gauge({
    name: 'handoff_kit_queue_waiting',
    help: 'Events that wait or run in this process.',
    labelNames: ['queue'],
    registers: [registry],
  });
  return async () => waiting.set({ queue: 'inbox' }, await pending());
}

/**
 * Registers the gauges of the stored queues. Returns the function that updates them; while the database does not
 * answer, `handoff_kit_database_up` is 0 and the others have no values.
 */
export function registerQueues(
  registry: Registry,
  queues: Pick<QueueAdmin, 'depth' | 'outboxes'>,
  timeoutMs = DATABASE_TIMEOUT_MS,
): () => Promise<void> {
  const registers = [registry];
  const databaseUp = new Gauge({
    name: 'handoff_kit_database_up',
    help: 'Whether the database answers: 1 or 0.',
    registers,
  });
  const labelNames = ['queue', 'agent'];
  const waiting = new Gauge({
    name: 'handoff_kit_queue_waiting',
    help: 'Jobs that wait or run, in all processes.',
    labelNames,
    registers,
  });
  const dead = new Gauge({
    name: 'handoff_kit_queue_dead',
    help: 'Dead letters: jobs parked after too many failures.',
    labelNames,
    registers,
  });
  const oldestAge = new Gauge({
    name: 'handoff_kit_queue_oldest_age_seconds',
    help: 'Age of the oldest job that waits or runs; 0 when the queue is empty.',
    labelNames,
    registers,
  });

  const setDepth = ({ queue, agent, ...depth }: QueueDepth & { queue: QueueName; agent: string }): void => {
    const { oldestAt } = depth;
    const labels = { queue, ...agentField(agent) };
    waiting.set(labels, depth.waiting);
    dead.set(labels, depth.dead);
    oldestAge.set(labels, oldestAt === null ? 0 : secondsSince(oldestAt.getTime()));
  };

  return async () => {
    const query = Promise.all([queues.depth('inbox'), queues.outboxes()]).then(([inbox, outboxes]) => [
      { queue: 'inbox' as const, agent: DEFAULT_AGENT, ...inbox },
      ...outboxes.map((outbox) => ({ queue: 'outbox' as const, ...outbox })),
    ]);
    const answer = query.catch(() => null);
    const depths = (await settlesWithin(answer, timeoutMs)) ? await answer : null;
    databaseUp.set(depths ? 1 : 0);
    for (const gauge of [waiting, dead, oldestAge]) gauge.reset();
    for (const depth of depths ?? []) setDepth(depth);
  };
}
