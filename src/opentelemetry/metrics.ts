import type { Attributes, Histogram } from '@opentelemetry/api';
import type { Steps } from '../diagnostics/index.js';
import type { Receiver } from '../receiver/index.js';
import {
  type Api,
  botAttribute,
  errorTypeOf,
  messagingAttributes,
  type OpenSpan,
  routeOf,
  SYSTEM,
} from './spans.js';

/** Measures a step that has ended. */
export type Instruments = {
  readonly [Name in keyof Steps]?: (message: Steps[Name], span: OpenSpan) => void;
};

/** Bounds in seconds, as the conventions advise for HTTP and messaging. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** Named by the semantic conventions. */
export function createInstruments(api: Api): Instruments {
  const meter = api.metrics.getMeter('handoff-kit');
  const duration = (name: string, description: string): Histogram =>
    meter.createHistogram(name, {
      description,
      unit: 's',
      advice: { explicitBucketBoundaries: BUCKETS },
    });
  const server = duration('http.server.request.duration', 'Duration of requests from the platform.');
  const client = duration('http.client.request.duration', 'Duration of requests to the platform.');
  const operations = duration(
    'messaging.client.operation.duration',
    'Duration of storing events and replies.',
  );
  const process = duration('messaging.process.duration', 'Duration of handling events and sending replies.');
  const sent = meter.createCounter('messaging.client.sent.messages', {
    description: 'Events and replies that were stored.',
    unit: '{message}',
  });
  const consumed = meter.createCounter('messaging.client.consumed.messages', {
    description: 'Attempts to handle an event or to send a reply.',
    unit: '{message}',
  });
  const adapter = duration('handoff_kit.adapter.duration', 'Duration of calls to an adapter.');

  const secondsOf = ({ startedAt }: OpenSpan): number => (performance.now() - startedAt) / 1_000;
  const failureOf = ({ error }: { readonly error?: unknown }): Attributes =>
    error === undefined ? {} : { 'error.type': errorTypeOf(error) };

  const stored = (queue: 'inbox' | 'outbox', message: Steps['accept'] | Steps['reply'], span: OpenSpan) => {
    const attributes = { ...messagingAttributes('send', queue), ...failureOf(message) };
    operations.record(secondsOf(span), attributes);
    sent.add(1, attributes);
  };
  const processed = (queue: 'inbox' | 'outbox', message: Steps['handle'] | Steps['send'], span: OpenSpan) => {
    const { bot } = message;
    const attributes = {
      ...messagingAttributes('process', queue),
      ...botAttribute(bot),
      ...failureOf(message),
    };
    process.record(secondsOf(span), attributes);
    consumed.add(1, attributes);
  };

  return {
    request(message, span) {
      // An application that traces its HTTP server also measures it.
      if (span.kind !== api.SpanKind.SERVER) return;
      const { method, endpoint, status } = message;
      server.record(secondsOf(span), {
        'http.request.method': method,
        'http.route': routeOf(endpoint),
        ...(status !== null && { 'http.response.status_code': status }),
        ...((status === null || status >= 500) && { 'error.type': String(status ?? 'hung_up') }),
      });
    },
    platform(message, span) {
      const { method, url, status, failure } = message;
      const { hostname, port, protocol } = new URL(url);
      client.record(secondsOf(span), {
        'http.request.method': method,
        'server.address': hostname,
        'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
        ...(status !== null && { 'http.response.status_code': status }),
        ...(failure !== null && { 'error.type': failure }),
      });
    },
    accept: (message, span) => stored('inbox', message, span),
    reply: (message, span) => stored('outbox', message, span),
    handle: (message, span) => processed('inbox', message, span),
    send: (message, span) => processed('outbox', message, span),
    adapter(message, span) {
      const attributes = {
        'handoff_kit.adapter': message.adapter,
        'handoff_kit.operation': message.operation,
      };
      adapter.record(secondsOf(span), { ...attributes, ...failureOf(message) });
    },
  };
}

/** Measures the receivers' queues whenever metrics are collected, until the returned function is called. */
export function observeQueues(api: Api, receivers: readonly Pick<Receiver, 'storage'>[]): () => void {
  const queues = receivers.flatMap(({ storage }) => storage.queues ?? []);
  if (queues.length === 0) return () => undefined;
  const meter = api.metrics.getMeter('handoff-kit');
  const size = meter.createObservableUpDownCounter('handoff_kit.queue.size', {
    description: 'Jobs that wait or run, and dead letters, in all processes.',
    unit: '{job}',
  });
  const age = meter.createObservableGauge('handoff_kit.queue.oldest_age', {
    description: 'Age of the oldest job that waits or runs.',
    unit: 's',
  });
  const observe = async (result: Parameters<Parameters<typeof meter.addBatchObservableCallback>[0]>[0]) => {
    for (const each of queues) {
      const inbox = { queue: 'inbox', bot: 'default', ...(await each.depth('inbox')) };
      const outboxes = (await each.outboxes()).map((outbox) => ({ queue: 'outbox', ...outbox }));
      for (const { queue, bot, waiting, dead, oldestAt } of [inbox, ...outboxes]) {
        const destination = {
          'messaging.system': SYSTEM,
          'messaging.destination.name': queue,
          ...botAttribute(bot),
        };
        result.observe(size, waiting, { ...destination, state: 'waiting' });
        result.observe(size, dead, { ...destination, state: 'dead' });
        const seconds = oldestAt === null ? 0 : Math.max(0, Date.now() - oldestAt.getTime()) / 1_000;
        result.observe(age, seconds, destination);
      }
    }
  };
  const observables = [size, age];
  meter.addBatchObservableCallback(observe, observables);
  return () => meter.removeBatchObservableCallback(observe, observables);
}
