import { type DeliveredEvent, isStillStored, Postponed, Unrecoverable } from '../events/index.js';
import { type Backoff, delayAfter, HandoffKitError } from '../internal/index.js';
import { createPostponements } from './backoff.js';
import type { DeliveryReceiver } from './delivery.js';
import { type ClaimedJob, type JobOutcome, MAX_CRASHES, SUSPECT_CRASHES } from './queue.js';
import {
  describeError,
  describeEvent,
  greet,
  type HandlerRunner,
  logPostponed,
  type RunClaim,
  type RunResult,
} from './run-handlers.js';
import { restoreEvent } from './storage/encoding.js';
import type { WorkerSlot } from './worker.js';

interface HandleJobOptions {
  readonly receiver: DeliveryReceiver;
  readonly runner: HandlerRunner;
  readonly backoff: Backoff;
  /** Failed attempts before an event becomes a dead letter. */
  readonly maxAttempts: number;
  readonly ensureClaimed: (job: ClaimedJob) => Promise<void>;
  readonly isClaimValid: (claim: number) => boolean;
  /** How long a handler waits for the greeting. Default 10 seconds. */
  readonly greetingTimeoutMs?: number;
}

const DONE: JobOutcome = { state: 'done' };
const dead = (error: string): JobOutcome => ({ state: 'failed', error, retryInMs: null, counts: true });

/** Creates the function that runs the handlers of a stored event once and returns the job's outcome. Never rejects. */
export function createHandleJob(
  options: HandleJobOptions,
): (job: ClaimedJob, slot?: WorkerSlot) => Promise<JobOutcome> {
  const { receiver, runner, backoff, maxAttempts, ensureClaimed, isClaimValid, greetingTimeoutMs } = options;
  const postponements = createPostponements(backoff);

  const giveUp = (event: DeliveredEvent, attempts: number, error: string): JobOutcome => {
    receiver.log.error(
      { ...describeEvent(event), attempts },
      'became a dead letter: it failed too often, or for good',
    );
    return dead(error);
  };

  /** No handler could report these failures. */
  const giveUpSuspect = (event: DeliveredEvent, attempt: number): JobOutcome => {
    const error = crashError(event);
    receiver.report(error, { ...describeEvent(event), attempt: attempt - 1 });
    return dead(describeError(error));
  };

  /**
   * Waits for a process that has the event's bot. During a deployment that adds a bot, processes without it share the
   * queue: a dead letter would need an operator.
   */
  const waitForBot = (event: DeliveredEvent): JobOutcome => {
    const error = `the bot ${event.bot} is not configured in the process that tried to handle it`;
    const retryInMs = postponements.next(event.key, new Postponed(error));
    receiver.log.error(
      { ...describeEvent(event), retryInMs },
      `a stored event waits, because this receiver has no bot ${event.bot}. Configure the bot, or remove its events: handoff-kit inbox list`,
    );
    return { state: 'failed', error, retryInMs, counts: false };
  };

  const outcomeOf = (event: DeliveredEvent, failures: number, result: RunResult): JobOutcome => {
    if (result?.error instanceof Postponed) {
      const retryInMs = postponements.next(event.key, result.error);
      logPostponed(receiver, event, retryInMs, result.error);
      return { state: 'failed', error: describeError(result.error), retryInMs, counts: false };
    }
    postponements.end(event.key);
    if (!result) return DONE;
    // The process stops: the handlers run again, and have not failed.
    if (isStopping(result.error)) return { state: 'released', interrupted: true };
    const error = describeError(result.error);
    if (failures + 1 >= maxAttempts || result.error instanceof Unrecoverable)
      return giveUp(event, failures + 1, error);
    return { state: 'failed', error, retryInMs: delayAfter(failures + 1, backoff), counts: true };
  };

  return async (job, slot) => {
    const { event: received, content, attempt, failures, crashes } = job;
    let event: DeliveredEvent;
    try {
      event = received ?? restoreEvent(content);
    } catch (error) {
      receiver.report(error, { attempt });
      return dead('its stored content cannot be parsed');
    }
    if (!receiver.hasBot(event.bot)) return waitForBot(event);
    if (!receiver.handles(event.name)) {
      receiver.log.error(
        describeEvent(event),
        `no handler for ${event.name}: the stored event is kept as a dead letter. Add receiver.on('${event.name}', …) before receiver.start(), then retry it.`,
      );
      return dead(`no handler for ${event.name} was registered`);
    }
    if (crashes >= MAX_CRASHES) return giveUpSuspect(event, attempt);
    if (crashes >= SUSPECT_CRASHES)
      receiver.log.warn(
        describeEvent(event),
        'handled alone: its process ended more than once while it was handled',
      );
    try {
      if (event.name === 'handoff.requested') await greet(receiver, event, greetingTimeoutMs);
    } catch (error) {
      // The greeting comes first, so the handler waits until it can be stored.
      return {
        state: 'failed',
        error: describeError(error),
        retryInMs: delayAfter(1, backoff),
        counts: false,
      };
    }
    const claim: RunClaim = {
      job,
      isValid: () => isClaimValid(job.claim),
      ensure: () => ensureClaimed(job),
      ...(slot && { slot }),
    };
    return outcomeOf(event, failures, await runner.run(receiver, event, attempt, claim));
  };
}

const isStopping = (error: unknown): boolean =>
  isStillStored(error) || (error instanceof HandoffKitError && error.code === 'SHUTTING_DOWN');

const crashError = ({ name }: DeliveredEvent): HandoffKitError =>
  new HandoffKitError(
    'PROCESS_ENDED',
    `the process ended, or did not respond for longer than leaseMs, ${MAX_CRASHES - SUSPECT_CRASHES} times while only this ${name} was being handled. Find out why its handler ends or blocks the process, then retry or discard the event.`,
  );
