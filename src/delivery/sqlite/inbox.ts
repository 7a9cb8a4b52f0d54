import type { DeliveredEvent } from '../../events/index.js';
import { type Backoff, delayAfter } from '../backoff.js';
import type { DeliveryHost } from '../delivery.js';
import { about, type HandlerRuns } from '../handler-run.js';
import { describeError } from '../outbox.js';
import { restoreEvent } from '../stored-event.js';
import type { Ending, Item } from './queue.js';

/** What {@link createHandling} needs. */
export interface HandlingParts {
  readonly host: DeliveryHost;
  readonly runs: HandlerRuns;
  readonly backoff: Backoff;
  /** Attempts before an event is parked as dead. */
  readonly maxAttempts: number;
  /** Whether the content of what was handled is kept. */
  readonly keepContent: boolean;
}

/** Handles a stored event once, and says what becomes of it. */
export function createHandling({ host, runs, backoff, maxAttempts, keepContent }: HandlingParts) {
  const park = (event: DeliveredEvent, { attempts }: Item, error: string): Ending => {
    host.log.error({ ...about(event), attempts }, 'parked as dead: it failed too often');
    return { state: 'dead', error };
  };

  return async (item: Item): Promise<Ending> => {
    const event = restoreEvent(item.content ?? '{}', item.key, item.lane);
    // It may be what ends the process each time, before anybody can note that it failed.
    if (item.attempts > maxAttempts) return park(event, item, 'the process ended during its last attempt');
    if (event.name === 'handoff.requested') await host.greet(event);
    const failed = await runs.run(host, event, item.attempts);
    if (!failed) return { state: 'done', keepContent };
    const error = describeError(failed.error);
    if (item.attempts < maxAttempts) {
      return { state: 'waiting', error, dueAt: Date.now() + delayAfter(item.attempts, backoff) };
    }
    return park(event, item, error);
  };
}
