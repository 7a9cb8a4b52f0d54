import type { QueueDepth, QueueName, StoredQueues } from '../../delivery/index.js';
import { within } from '../../internal/index.js';
import type { Metric } from './exposition.js';

const QUEUES: readonly QueueName[] = ['inbox', 'outbox'];

/** Longer than this, and whoever asks for metrics would rather have the others. */
const TIMEOUT_MS = 2_000;

/** How the queues stand; without their numbers, and with a 0 that says so, while the database cannot be reached. */
export async function queueMetrics(
  queues: Pick<StoredQueues, 'depth'>,
  timeoutMs = TIMEOUT_MS,
): Promise<Metric[]> {
  const asked = Promise.all(QUEUES.map((queue) => queues.depth(queue))).catch(() => null);
  const depths = (await within(asked, timeoutMs)) ? await asked : null;
  return [
    {
      name: 'handoff_kit_database_up',
      help: 'Whether the database answers: 1 or 0.',
      type: 'gauge',
      samples: [{ value: depths ? 1 : 0 }],
    },
    ...(depths ? depthMetrics(depths) : []),
  ];
}

function depthMetrics(depths: readonly QueueDepth[]): Metric[] {
  const gauge = (name: string, help: string, numberOf: (depth: QueueDepth) => number): Metric => ({
    name,
    help,
    type: 'gauge',
    samples: depths.map((depth, index) => ({
      labels: { queue: QUEUES[index] ?? '' },
      value: numberOf(depth),
    })),
  });
  return [
    gauge('handoff_kit_queue_waiting', 'Items that wait or run, in all processes.', ({ waiting }) => waiting),
    gauge('handoff_kit_queue_dead', 'Items parked after too many failures.', ({ dead }) => dead),
    gauge(
      'handoff_kit_queue_oldest_age_seconds',
      'Age of the oldest item that waits or runs; 0 when there is none.',
      ({ oldestAt }) => (oldestAt === null ? 0 : Math.max(0, Date.now() - oldestAt.getTime()) / 1_000),
    ),
  ];
}
