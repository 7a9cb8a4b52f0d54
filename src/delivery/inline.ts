import type { DeliveredEvent } from '../events/index.js';
import {
  createDeadlines,
  createKeyedQueue,
  duration,
  HandoffKitError,
  quantityOf,
  within,
} from '../internal/index.js';
import type { Acceptance, Delivery, DeliveryHost } from './delivery.js';
import { about, createHandlerRuns, type RunEnd } from './handler-run.js';
import { createPatience } from './patience.js';
import { createRecentKeys } from './recent-keys.js';

/** Settings of {@link inline}. */
export interface InlineOptions {
  /** How long the sender waits for handlers before it is answered 200 anyway. Default 5 seconds. */
  readonly ackDeadlineMs?: number;
  /** How long handlers may hold up their conversation, also by postponing. Default 5 minutes. */
  readonly handlerTimeoutMs?: number;
  /** How many events may run or wait at once; more are answered 503. Default 10,000. */
  readonly maxPending?: number;
  /** How many handled events are remembered, to tell repeats. Default 10,000. */
  readonly maxRemembered?: number;
  /** How long they are remembered. Default 10 minutes. */
  readonly rememberMs?: number;
}

/**
 * Handles events while the sender waits: 200 means that the handlers have finished, or that the deadline
 * passed. Nothing is stored, so what was not answered 200 is the sender's to send again.
 */
export function inline({
  ackDeadlineMs = 5_000,
  handlerTimeoutMs = 300_000,
  maxPending = 10_000,
  maxRemembered = 10_000,
  rememberMs = 600_000,
}: InlineOptions = {}): Delivery {
  duration('ackDeadlineMs', ackDeadlineMs);
  duration('handlerTimeoutMs', handlerTimeoutMs);
  duration('rememberMs', rememberMs);
  quantityOf('maxPending', maxPending);
  quantityOf('maxRemembered', maxRemembered);
  const lanes = createKeyedQueue();
  const handled = createRecentKeys({ maxKeys: maxRemembered, maxAgeMs: rememberMs });
  const runs = createHandlerRuns(handlerTimeoutMs);
  const patience = createPatience(runs, { minDelayMs: 1_000, maxDelayMs: 30_000 }, handlerTimeoutMs);
  const deadlines = createDeadlines(ackDeadlineMs);
  let host: DeliveryHost | undefined;

  const conclude = (event: DeliveredEvent, failed: RunEnd): Acceptance => {
    if (!failed) handled.add(event.key);
    return failed ? 'failed' : 'handled';
  };

  /** Runs the handlers, unless the event was handled while it waited for its turn. */
  const work = (event: DeliveredEvent): Promise<Acceptance> | Acceptance => {
    if (handled.has(event.key)) return 'duplicate';
    const running = started(host);
    const run = runs.run(running, event, 1);
    if (!run) return conclude(event, null);
    return run.then((failed) =>
      failed
        ? patience.goOn(running, event, failed).then((end) => conclude(event, end))
        : conclude(event, null),
    );
  };

  /** Lets the sender go after the deadline, whatever the work does. The wait for a turn counts. */
  const answerInTime = (event: DeliveredEvent, turn: Promise<Acceptance>): Promise<Acceptance> =>
    new Promise((resolve) => {
      const { log } = started(host);
      let late = false;
      const deadline = deadlines.start(() => {
        late = true;
        log.warn({ ...about(event), ms: age(event) }, 'handlers are still running: answered 200 meanwhile');
        resolve('late');
      });
      void turn.then((acceptance) => {
        deadline.clear();
        if (!late) resolve(acceptance);
        else if (acceptance !== 'failed')
          log.warn({ ...about(event), ms: age(event) }, 'late handlers finished');
        else
          log.error({ ...about(event), ms: age(event) }, 'failed after 200 was answered: the event is lost');
      });
    });

  return {
    start(deliveryHost) {
      host = deliveryHost;
    },
    seen: (event) => handled.has(event.key),
    accept(event) {
      if (lanes.pending >= maxPending) return 'full';
      const turn = lanes.run(event.conversationId, () => work(event));
      return turn instanceof Promise ? answerInTime(event, turn) : turn;
    },
    async stop({ timeoutMs }) {
      await within(lanes.idle(), timeoutMs);
      const unfinished = lanes.pending;
      runs.abortAll();
      patience.stop();
      return { unfinished };
    },
    stats: () => ({ pending: lanes.pending, remembered: handled.size }),
  };
}

const age = (event: DeliveredEvent): number => Date.now() - event.receivedAt;

function started(host: DeliveryHost | undefined): DeliveryHost {
  if (host) return host;
  throw new HandoffKitError('NOT_STARTED', 'a delivery must be handed to createReceiver before it is used.');
}
