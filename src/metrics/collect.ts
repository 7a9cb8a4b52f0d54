import type { IncomingMessage, ServerResponse } from 'node:http';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { BridgeStats } from '../bridge/index.js';
import type { QueueAdmin, QueueDepth, QueueKind } from '../delivery/index.js';
import { observeStep, type Steps } from '../diagnostics/index.js';
import { botField, DEFAULT_BOT } from '../events/index.js';
import { settlesWithin } from '../internal/index.js';
import type { Receiver } from '../receiver/index.js';

/** Upper bounds in seconds for one request or one handler run. */
const DURATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** Upper bounds in seconds for waiting, which lasts minutes while the platform or the handlers fail. */
const WAIT_BUCKETS = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600, 21_600];

/** A scrape does not wait longer for the database; the other metrics are still exposed. */
const DATABASE_TIMEOUT_MS = 2_000;

/** One receiver's metrics, in a separate registry. */
export interface Metrics {
  /** Counts and times a request to another endpoint. Call the returned function with its answer's status. */
  beginRequest(endpoint: string, options?: { readonly isTimed?: boolean }): (status: number) => void;
  /** In Prometheus's text format. */
  expose(): Promise<{ readonly contentType: string; readonly text: string }>;
}

export interface MetricsOptions {
  /**
   * The bridges whose events are counted, by adapter name.
   *
   * @example metricsHandler(receiver, { bridges: { slack: bridge } });
   */
  readonly bridges?: Readonly<Record<string, { stats(): BridgeStats; isAvailable(): boolean }>>;
}

export type MeasuredReceiver = Pick<Receiver, 'platforms' | 'storage' | 'stats' | 'onClosing' | 'close'>;

/**
 * Collects a receiver's metrics until it has closed. Labels are never user ids or text from a sender, who could otherwise
 * create any number of series.
 */
export function collectMetrics(receiver: MeasuredReceiver, { bridges = {} }: MetricsOptions = {}): Metrics {
  const registry = new Registry();
  const { recordRequest, stop } = subscribe(registry, receiver);
  // Handlers and replies still run while the receiver closes.
  receiver.onClosing(() => void setImmediate(() => void receiver.close().finally(stop)));

  const { queues, isOutboxPaused } = receiver.storage;
  registerUptime(registry);
  if (queues) registerOutboxPause(registry, [...receiver.platforms.keys()], isOutboxPaused);
  if (Object.keys(bridges).length > 0) registerBridges(registry, bridges);
  const refreshQueues = queues
    ? registerQueues(registry, queues)
    : registerPending(registry, async () => (await receiver.stats()).pending);

  return {
    beginRequest(endpoint, { isTimed = true } = {}) {
      const startedAt = performance.now();
      return (status) => recordRequest(endpoint, status, isTimed ? performance.now() - startedAt : null);
    },
    async expose() {
      await refreshQueues();
      return { contentType: registry.contentType, text: await registry.metrics() };
    },
  };
}

const secondsSince = (time: number): number => Math.max(0, Date.now() - time) / 1_000;

function subscribe(registry: Registry, receiver: object) {
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
    labelNames: ['event', 'outcome', 'bot'],
    registers,
  });
  const attempts = new Counter({
    name: 'handoff_kit_attempts_total',
    help: 'Attempts, by queue and outcome: handler runs (inbox), replies and closes sent (outbox).',
    labelNames: ['queue', 'outcome', 'bot'],
    registers,
  });
  const handlerDuration = new Histogram({
    name: 'handoff_kit_handler_duration_seconds',
    help: 'Duration of one handler run, failed runs included, by event.',
    labelNames: ['event', 'bot'],
    buckets: DURATION_BUCKETS,
    registers,
  });
  const queueWait = new Histogram({
    name: 'handoff_kit_queue_wait_seconds',
    help: 'Time from the arrival of an event to its first handler run.',
    labelNames: ['queue', 'bot'],
    buckets: WAIT_BUCKETS,
    registers,
  });
  const lag = new Histogram({
    name: 'handoff_kit_lag_seconds',
    help: 'Time from received to handled (inbox), and from written to accepted by the platform (outbox).',
    labelNames: ['queue', 'bot'],
    buckets: WAIT_BUCKETS,
    registers,
  });

  const recordRequest = (endpoint: string, status: number | null, ms: number | null): void => {
    // Without a status, the sender has hung up.
    if (status === null) return;
    requests.inc({ endpoint, status: String(status) });
    if (ms !== null) requestDuration.observe({ endpoint }, ms / 1_000);
  };
  const recordAttempt = (queue: QueueKind, bot: string, createdAt: number, error: unknown): void => {
    const labels = { queue, ...botField(bot) };
    attempts.inc({ ...labels, outcome: error === undefined ? 'ok' : 'failed' });
    if (error === undefined) lag.observe(labels, secondsSince(createdAt));
  };

  const stops: (() => void)[] = [];
  const observe = <Name extends Exclude<keyof Steps, 'platform'>>(
    name: Name,
    onEnd: (message: Steps[Name], ms: number) => void,
    onStart?: (message: Steps[Name]) => void,
  ): void => {
    const startedAt = new WeakMap<object, number>();
    const stopObserving = observeStep(name, {
      onStart(message) {
        if (message.receiver !== receiver) return;
        startedAt.set(message, performance.now());
        onStart?.(message);
      },
      onEnd(message) {
        // Unknown for a step that began before the subscription.
        const began = startedAt.get(message);
        if (began !== undefined) onEnd(message, performance.now() - began);
      },
    });
    stops.push(stopObserving);
  };

  observe('request', ({ endpoint, status }, ms) => recordRequest(endpoint, status, ms));
  observe('webhook', ({ status }, ms) => recordRequest('adapter', status, ms));
  observe('accept', ({ event, bot, result = 'failed' }) =>
    events.inc({ event, outcome: result, ...botField(bot) }),
  );
  observe(
    'handle',
    ({ event, bot, receivedAt, error }, ms) => {
      handlerDuration.observe({ event, ...botField(bot) }, ms / 1_000);
      recordAttempt('inbox', bot, receivedAt, error);
    },
    ({ bot, attempt, receivedAt }) => {
      if (attempt === 1) queueWait.observe({ queue: 'inbox', ...botField(bot) }, secondsSince(receivedAt));
    },
  );
  observe('send', ({ bot, writtenAt, error }) => recordAttempt('outbox', bot, writtenAt, error));

  const stop = (): void => {
    for (const unsubscribe of stops.splice(0)) unsubscribe();
  };
  return { recordRequest, stop };
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
  bots: readonly string[],
  isOutboxPaused: (bot: string) => boolean,
): void {
  const paused = new Gauge({
    name: 'handoff_kit_outbox_paused',
    help: 'Whether replies wait because the platform refuses the API key or has moved: 1 or 0.',
    labelNames: ['bot'],
    registers: [],
    collect() {
      for (const bot of bots) this.set(botField(bot), isOutboxPaused(bot) ? 1 : 0);
    },
  });
  registry.registerMetric(paused);
}

function registerBridges(registry: Registry, bridges: NonNullable<MetricsOptions['bridges']>): void {
  const adapterEvents = new Counter({
    name: 'handoff_kit_adapter_events_total',
    help: 'Events between users and the helpdesk, by type. "dropped" are echoes, notes and repeats, "forged" are webhooks with a wrong signature, "unclosed" are conversations that agents must close themselves, "lost" are messages of users that no agent got.',
    labelNames: ['adapter', 'type'],
    registers: [],
    // The bridge counts by itself, so its counts replace the values of the last scrape.
    collect() {
      this.reset();
      for (const [adapter, bridge] of Object.entries(bridges)) {
        for (const [type, count] of Object.entries(bridge.stats())) {
          this.inc({ adapter, type: snakeCase(type) }, count);
        }
      }
    },
  });
  registry.registerMetric(adapterEvents);
  const available = new Gauge({
    name: 'handoff_kit_adapter_available',
    help: 'Whether the helpdesk answers, as far as known: 1, or 0 while calls to it are paused.',
    labelNames: ['adapter'],
    registers: [],
    collect() {
      for (const [adapter, bridge] of Object.entries(bridges))
        this.set({ adapter }, bridge.isAvailable() ? 1 : 0);
    },
  });
  registry.registerMetric(available);
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
 * Registers the gauges of the stored queues and returns the function that updates them. While the database does not
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
  const labelNames = ['queue', 'bot'];
  const waiting = new Gauge({
    name: 'handoff_kit_queue_waiting',
    help: 'Jobs that wait or run, in all processes.',
    labelNames,
    registers,
  });
  const dead = new Gauge({
    name: 'handoff_kit_queue_dead',
    help: 'Dead letters: jobs that failed too often, or for good.',
    labelNames,
    registers,
  });
  const oldestAge = new Gauge({
    name: 'handoff_kit_queue_oldest_age_seconds',
    help: 'Age of the oldest job that waits or runs; 0 when the queue is empty.',
    labelNames,
    registers,
  });

  const setDepth = ({ queue, bot, ...depth }: QueueDepth & { queue: QueueKind; bot: string }): void => {
    const { oldestAt } = depth;
    const labels = { queue, ...botField(bot) };
    waiting.set(labels, depth.waiting);
    dead.set(labels, depth.dead);
    oldestAge.set(labels, oldestAt === null ? 0 : secondsSince(oldestAt.getTime()));
  };

  return async () => {
    const query = Promise.all([queues.depth('inbox'), queues.outboxes()]).then(([inbox, outboxes]) => [
      { queue: 'inbox' as const, bot: DEFAULT_BOT, ...inbox },
      ...outboxes.map((outbox) => ({ queue: 'outbox' as const, ...outbox })),
    ]);
    const answer = query.catch(() => null);
    const depths = (await settlesWithin(answer, timeoutMs)) ? await answer : null;
    databaseUp.set(depths ? 1 : 0);
    for (const gauge of [waiting, dead, oldestAge]) gauge.reset();
    for (const depth of depths ?? []) setDepth(depth);
  };
}

/** Answers with the metrics: a request handler for Express or `http.createServer`, and one for Fetch. */
export interface MetricsHandler {
  (request: IncomingMessage, response: ServerResponse, next?: unknown): void;
  /** The same for Fetch. */
  fetch(request?: Request): Promise<Response>;
}

/**
 * Creates the endpoint that Prometheus scrapes: requests, events, handler runs, replies and queues of a receiver. It
 * counts from this call on, until the receiver has closed. It needs no credentials, since the numbers hold nothing
 * personal; restrict it as you restrict the rest of your app.
 *
 * @example
 * app.get('/metrics', metricsHandler(receiver));
 */
export function metricsHandler(receiver: MeasuredReceiver, options?: MetricsOptions): MetricsHandler {
  const metrics = collectMetrics(receiver, options);

  const respond = async (response: ServerResponse): Promise<void> => {
    const { contentType, text } = await metrics.expose();
    response.setHeader('content-type', contentType);
    response.end(text);
  };
  const handler = (_request: IncomingMessage, response: ServerResponse): void => {
    respond(response).catch(() => {
      if (!response.headersSent) response.statusCode = 500;
      response.end();
    });
  };
  const fetch = async (): Promise<Response> => {
    const { contentType, text } = await metrics.expose();
    return new Response(text, { headers: { 'content-type': contentType } });
  };
  return Object.assign(handler, { fetch });
}
