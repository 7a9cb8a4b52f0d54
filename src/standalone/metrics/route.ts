import { Router } from 'express';
import type { StoredQueues } from '../../delivery/index.js';
import { EXPOSITION_TYPE, exposition, type Metric } from './exposition.js';
import { queueMetrics } from './queue-metrics.js';

/** What {@link metricsRoute} needs. */
export interface MetricsParts {
  /** What was counted since the start. */
  readonly counted: () => Metric[];
  /** What is stored; `null` where nothing is. */
  readonly queues: StoredQueues | null;
  /** How many events are accepted and not handled, where nothing is stored. */
  readonly pending: () => number;
}

/**
 * `GET /metrics`: numbers for Prometheus. Everybody who can reach the port may read them, as with health: they are
 * counts by kind, without ids, words or anything else of a person.
 */
export function metricsRoute({ counted, queues, pending }: MetricsParts): Router {
  return Router().get('/metrics', async (_request, response) => {
    const stored = queues ? await queueMetrics(queues) : [inMemory(pending())];
    response.set('content-type', EXPOSITION_TYPE).send(exposition([uptime(), ...counted(), ...stored]));
  });
}

const inMemory = (pending: number): Metric => ({
  name: 'handoff_kit_queue_waiting',
  help: 'Events that wait or run in this process.',
  type: 'gauge',
  samples: [{ labels: { queue: 'inbox' }, value: pending }],
});

const uptime = (): Metric => ({
  name: 'process_uptime_seconds',
  help: 'How long the process has run.',
  type: 'gauge',
  samples: [{ value: Math.round(process.uptime() * 1_000) / 1_000 }],
});
