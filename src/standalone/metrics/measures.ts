import type { ServiceClient } from '../../client/index.js';
import type { Delivery } from '../../delivery/index.js';
import { createCounter, createStopwatch } from './counter.js';
import type { Metric } from './exposition.js';

/** Counts what passes through the program, by standing before the parts that do the work. */
export interface Measures {
  /** The same delivery, counted: what became of events, and each run of their handlers. */
  delivery(delivery: Delivery): Delivery;
  /** The same client, counted: each reply and close that is sent. */
  client(client: ServiceClient): ServiceClient;
  /** Counts an answer. */
  answered(endpoint: string, status: number): void;
  /** What was counted since the start. */
  metrics(): Metric[];
}

/** Makes {@link Measures} that begin at nothing. */
export function createMeasures(): Measures {
  const answers = createCounter(
    'handoff_kit_requests_total',
    'Requests answered since the start, by endpoint and HTTP status.',
  );
  const events = createCounter(
    'handoff_kit_events_total',
    'Events that passed validation since the start, by what became of them at the door.',
  );
  const attempts = createCounter(
    'handoff_kit_attempts_total',
    'Attempts since the start: runs of handlers (inbox), replies and closes sent (outbox).',
  );
  const lag = createStopwatch(
    'handoff_kit_lag_seconds',
    'Time from received to handled (inbox), and from written to taken by the service (outbox).',
  );

  const attempted = async <Result>(
    queue: 'inbox' | 'outbox',
    begunAt: number,
    attempt: () => Promise<Result>,
  ): Promise<Result> => {
    try {
      const result = await attempt();
      attempts.add({ queue, outcome: 'ok' });
      lag.note({ queue }, Math.max(0, Date.now() - begunAt) / 1_000);
      return result;
    } catch (error) {
      attempts.add({ queue, outcome: 'failed' });
      throw error;
    }
  };

  return {
    delivery: (delivery) => ({
      ...delivery,
      start: (host) =>
        delivery.start({
          ...host,
          handle: (event, run) => attempted('inbox', event.receivedAt, async () => host.handle(event, run)),
        }),
      async accept(event) {
        const acceptance = await delivery.accept(event);
        events.add({ event: event.name, outcome: acceptance });
        return acceptance;
      },
    }),
    client: (client) => ({
      ...client,
      reply: (input, options) =>
        attempted('outbox', input.timestamp ?? Date.now(), () => client.reply(input, options)),
      end: (input, options) =>
        attempted('outbox', input.timestamp ?? Date.now(), () => client.end(input, options)),
    }),
    answered: (endpoint, status) => answers.add({ endpoint, status: String(status) }),
    metrics: () => [answers, events, attempts, lag].map(({ metric }) => metric()),
  };
}
