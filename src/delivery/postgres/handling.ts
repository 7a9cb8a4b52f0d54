import { type Backoff, delayAfter } from '../backoff.js';
import type { DeliveryHost } from '../delivery.js';
import { about, type HandlerRuns } from '../handler-run.js';
import { describeError } from '../outbox.js';
import { restoreEvent } from '../stored-event.js';
import type { Ending } from './ending.js';
import type { Item } from './job.js';

/** What {@link createHandling} needs. */
export interface HandlingParts {
  readonly host: DeliveryHost;
  readonly runs: HandlerRuns;
  readonly backoff: Backoff;
  /** Attempts before an event is parked as dead. */
  readonly maxAttempts: number;
}

/** Handles a stored event once, and says what becomes of it. */
export function createHandling({ host, runs, backoff, maxAttempts }: HandlingParts) {
  return async ({ content, key, conversationId, attempts }: Item): Promise<Ending> => {
    const event = restoreEvent(content, key, conversationId);
    if (event.name === 'handoff.requested') await host.greet(event);
    const failed = await runs.run(host, event, attempts);
    if (!failed) return { state: 'done' };
    const error = describeError(failed.error);
    if (attempts < maxAttempts) return { state: 'waiting', error, afterMs: delayAfter(attempts, backoff) };
    host.log.error({ ...about(event), attempts }, 'parked as dead: it failed too often');
    return { state: 'dead', error };
  };
}
