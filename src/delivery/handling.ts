import { type DeliveredEvent, Postponed } from '../events/index.js';
import { within } from '../internal/index.js';
import { type Backoff, delayAfter } from './backoff.js';
import type { DeliveryHost } from './delivery.js';
import { about, type HandlerRuns, type RunEnd } from './handler-run.js';
import { describeError } from './outbox.js';
import { createPostponements } from './postponements.js';
import { restoreEvent } from './stored-event.js';
import type { Attempt, Ending } from './work.js';

/** What {@link createHandling} needs. */
export interface HandlingParts {
  readonly host: DeliveryHost;
  readonly runs: HandlerRuns;
  readonly backoff: Backoff;
  /** Attempts before an event is parked as dead. */
  readonly maxAttempts: number;
  /** How long a handler waits for the greeting. Default 10 seconds. */
  readonly greetWithinMs?: number;
}

/** The user waits a minute for a first reply; the handler, which may give one too, must not wait that long. */
const GREET_WITHIN_MS = 10_000;

/** Handles a stored event once, and says what becomes of it. */
export function createHandling({
  host,
  runs,
  backoff,
  maxAttempts,
  greetWithinMs = GREET_WITHIN_MS,
}: HandlingParts): Attempt {
  const postponements = createPostponements(backoff);

  const park = (event: DeliveredEvent, attempts: number, error: string): Ending => {
    host.log.error({ ...about(event), attempts }, 'parked as dead: it failed too often');
    return { state: 'dead', error };
  };

  const greet = async (event: DeliveredEvent<'handoff.requested'>): Promise<void> => {
    if (await within(host.greet(event), greetWithinMs)) return;
    host.log.warn(about(event), 'the greeting takes long: the handoff is handled without it');
  };

  const conclude = (event: DeliveredEvent, attempts: number, failed: RunEnd): Ending => {
    if (failed?.error instanceof Postponed) {
      const afterMs = postponements.next(event.key, failed.error);
      host.log.warn({ ...about(event), afterMs, reason: failed.error.message }, 'postponed by its handler');
      return { state: 'waiting', error: describeError(failed.error), afterMs, postponed: true };
    }
    postponements.end(event.key);
    if (!failed) return DONE;
    const error = describeError(failed.error);
    if (attempts >= maxAttempts) return park(event, attempts, error);
    return { state: 'waiting', error, afterMs: delayAfter(attempts, backoff) };
  };

  return (work, onEnd) => {
    const { content, key, conversationId, attempts } = work;
    let event: DeliveredEvent;
    try {
      event = work.event ?? restoreEvent(content ?? '{}', key, conversationId);
    } catch (error) {
      host.report(error, { conversationId, attempt: attempts });
      return onEnd({ state: 'dead', error: 'what was stored cannot be read' });
    }
    // It may be what ends the process each time, before anybody can note that it failed.
    if (attempts > maxAttempts) {
      return onEnd(park(event, attempts, 'the process ended during its last attempt'));
    }
    const run = (): void =>
      runs.start(host, event, attempts, (failed) => onEnd(conclude(event, attempts, failed)));
    if (event.name === 'handoff.requested') void greet(event).then(run);
    else run();
  };
}

const DONE: Ending = { state: 'done' };
