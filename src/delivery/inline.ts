import { createLanes, type DeliveredEvent, within } from '../events/index.js';
import { HandoffKitError } from '../protocol/index.js';
import type { Acceptance, Delivery, DeliveryHost } from './delivery.js';
import { HandlerRun } from './handler-run.js';
import { createRecentKeys } from './recent-keys.js';

/** Settings of {@link inline}. */
export interface InlineOptions {
  /** How long the sender waits for handlers before it is answered 200 anyway. Default 5 seconds. */
  readonly ackDeadlineMs?: number;
  /** How long handlers may hold up their conversation. Default 5 minutes. */
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
  const lanes = createLanes();
  const handled = createRecentKeys({ maxKeys: maxRemembered, maxAgeMs: rememberMs });
  /** The controllers of running handlers that have looked at their signal. */
  const watching = new Set<AbortController>();
  const watch = (controller: AbortController): void => {
    watching.add(controller);
  };
  let host: DeliveryHost | undefined;

  /** Runs the handlers, unless the event was handled while it waited for its turn. */
  const work = async (event: DeliveredEvent, run: HandlerRun): Promise<Acceptance> => {
    if (handled.has(event.key)) return 'duplicate';
    try {
      await started(host).handle(event, run);
    } catch {
      return 'failed';
    }
    handled.add(event.key);
    return 'handled';
  };

  /** The same, given up after a time, so that a handler that never ends cannot hold up its conversation. */
  const boundedWork = (event: DeliveredEvent): Promise<Acceptance> =>
    new Promise((resolve) => {
      const run = new HandlerRun(1, watch);
      const finish = (acceptance: Acceptance): void => {
        clearTimeout(timer);
        if (run.controller) watching.delete(run.controller);
        resolve(acceptance);
      };
      const timer = setTimeout(() => {
        const error = handlerTimeout(event, handlerTimeoutMs);
        run.abort(error);
        started(host).report(error, about(event));
        finish('failed');
      }, handlerTimeoutMs);
      void work(event, run).then(finish);
    });

  /** Lets the sender go after the deadline, whatever the work does. The wait for a turn counts. */
  const answerInTime = (event: DeliveredEvent, work: Promise<Acceptance>): Promise<Acceptance> =>
    new Promise((resolve) => {
      const { log } = started(host);
      let late = false;
      const timer = setTimeout(() => {
        late = true;
        log.warn({ ...about(event), ms: age(event) }, 'handlers are still running: answered 200 meanwhile');
        resolve('late');
      }, ackDeadlineMs);
      void work.then((acceptance) => {
        clearTimeout(timer);
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
    async accept(event) {
      if (lanes.pending >= maxPending) return 'full';
      return answerInTime(
        event,
        lanes.run(event.conversationId, () => boundedWork(event)),
      );
    },
    async stop({ timeoutMs }) {
      await within(lanes.idle(), timeoutMs);
      const unfinished = lanes.pending;
      const reason = new HandoffKitError('SHUTTING_DOWN', 'the receiver is closing and waits no longer.');
      for (const controller of watching) controller.abort(reason);
      return { unfinished };
    },
    stats: () => ({ pending: lanes.pending, remembered: handled.size }),
  };
}

const about = ({ name, conversationId, requestId }: DeliveredEvent) => ({
  event: name,
  conversationId,
  requestId,
});

const age = (event: DeliveredEvent): number => Date.now() - event.receivedAt;

const handlerTimeout = (event: DeliveredEvent, ms: number): HandoffKitError =>
  new HandoffKitError(
    'HANDLER_TIMEOUT',
    `handlers of ${event.name} were still running after ${ms} ms; their conversation goes on without them. Watch the handler's signal, or raise handlerTimeoutMs.`,
  );

function started(host: DeliveryHost | undefined): DeliveryHost {
  if (host) return host;
  throw new HandoffKitError('NOT_STARTED', 'a delivery must be handed to createReceiver before it is used.');
}
