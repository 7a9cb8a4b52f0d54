import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDirectReplies, type DeliveredEvent, HeldReplies, Postponed } from '../events/index.js';
import {
  type Backoff,
  checkCount,
  checkDuration,
  checkOptionNames,
  createKeyedQueue,
  createRecentKeys,
  settlesWithin,
} from '../internal/index.js';
import { createPostponements } from './backoff.js';
import type { Acceptance, Delivery, DeliveryReceiver } from './delivery.js';
import {
  checkUnconnected,
  connected,
  createHandlerRunner,
  describeEvent,
  greet,
  logPostponed,
  type RunResult,
} from './run-handlers.js';

export interface InlineOptions {
  /** How long the sender waits for handlers before it is answered 200 regardless. Default 5 seconds. */
  readonly ackDeadlineMs?: number;
  /** How long handlers may run, postponements included, before later events of their conversation. Default 5 minutes. */
  readonly handlerTimeoutMs?: number;
  /** How many events may run or wait at once; more are answered 503. Default 10,000. */
  readonly maxPending?: number;
  /** How many keys of handled events are remembered at least, to recognise repeats; twice as many at most. Default 10,000. */
  readonly maxRemembered?: number;
  /** How long they are remembered. Default 10 minutes. */
  readonly rememberMs?: number;
}

/**
 * Handles events while the sender waits: 200 means that the handlers have finished, or that the acknowledgement deadline
 * has passed. Nothing is stored: the sender may send an event again that was not answered 200.
 *
 * @example createReceiver({ auth, delivery: inline({ ackDeadlineMs: 2_000 }) });
 */
export function inline(options: InlineOptions = {}): Delivery {
  checkOptionNames('inline', options, [
    'ackDeadlineMs',
    'handlerTimeoutMs',
    'maxPending',
    'maxRemembered',
    'rememberMs',
  ]);
  const ackDeadlineMs = checkDuration('ackDeadlineMs', options.ackDeadlineMs ?? 5_000);
  const handlerTimeoutMs = checkDuration('handlerTimeoutMs', options.handlerTimeoutMs ?? 300_000);
  const maxAgeMs = checkDuration('rememberMs', options.rememberMs ?? 600_000);
  const maxPending = checkCount('maxPending', options.maxPending ?? 10_000);
  const maxKeys = checkCount('maxRemembered', options.maxRemembered ?? 10_000);
  const conversations = createKeyedQueue();
  const handled = createRecentKeys({ maxKeys, maxAgeMs });
  const runner = createHandlerRunner(handlerTimeoutMs);
  const stopping = new AbortController();
  const runWithRetry = createInlineRetry(
    { minDelayMs: 1_000, maxDelayMs: 30_000 },
    handlerTimeoutMs,
    stopping.signal,
  );
  /** In the order of arrival, each with its turn. */
  const unhandled = new Map<DeliveredEvent, Promise<unknown>>();
  /** Replies that wait until a handoff request is answered, by the request. */
  const unanswered = new WeakMap<DeliveredEvent, HeldReplies>();
  /** The same by conversation, while its handlers run. */
  const held = new Map<string, HeldReplies>();
  let receiver: DeliveryReceiver | undefined;

  /** Runs the handlers once. What is replied before the sender is answered is held, and dropped if they fail. */
  const run = async (running: DeliveryReceiver, event: DeliveredEvent): Promise<RunResult> => {
    const replies = unanswered.get(event);
    if (replies) held.set(event.conversationId, replies);
    const failure = await runner.run(running, event, 1);
    if (failure) replies?.drop();
    return failure;
  };

  const stopHolding = (event: DeliveredEvent): void => {
    if (held.get(event.conversationId) === unanswered.get(event)) held.delete(event.conversationId);
    unanswered.delete(event);
  };

  /** Runs the handlers, unless the event was handled while it waited for its turn. */
  const work = async (event: DeliveredEvent): Promise<Acceptance> => {
    const running = connected(receiver);
    const isRepeat = handled.has(event.key);
    if (isRepeat || (await runWithRetry(running, event, () => run(running, event)))) {
      stopHolding(event);
      return isRepeat ? 'duplicate' : 'failed';
    }
    handled.add(event.key);
    return 'handled';
  };

  /** Greets the user, then sends the held replies. Called once the request is answered. */
  const sendHeld = async (
    event: DeliveredEvent<'handoff.requested'>,
    replies: HeldReplies,
  ): Promise<void> => {
    const running = connected(receiver);
    replies.isAnswered = true;
    await greet(running, event).catch((error: unknown) => running.report(error, describeEvent(event)));
    stopHolding(event);
    await replies.release();
  };

  const logLate = (event: DeliveredEvent, acceptance: Acceptance, isWanted: boolean): void => {
    const { log } = connected(receiver);
    const about = { ...describeEvent(event), ms: age(event) };
    if (acceptance === 'failed') log.error(about, 'failed after 200 was answered: the event is lost');
    else if (!isWanted) log.warn(about, 'late handlers finished');
  };

  return {
    connect(to) {
      checkUnconnected(receiver);
      receiver = to;
    },
    createReplies: (bots) => {
      const onFailed = (conversationId: string, err: unknown): void =>
        connected(receiver).log.warn({ conversationId, err }, 'a reply or end did not reach the platform');
      return createDirectReplies(bots, {
        heldOf: (conversationId) => held.get(conversationId),
        onFailed,
        onHeldFailed(conversationId, error) {
          onFailed(conversationId, error);
          const { bot } = bots.locate(conversationId);
          connected(receiver).report(error, { event: 'handoff.requested', bot, conversationId });
        },
      });
    },
    seen: async (event) => handled.has(event.key),
    async accept(event) {
      if (conversations.pending >= maxPending) return 'full';
      const answerWanted =
        event.name === 'handoff.requested' &&
        new Promise<void>((resolve) => unanswered.set(event, new HeldReplies(resolve)));
      const turn = conversations.run(event.conversationId, () => work(event));
      unhandled.set(event, turn);
      const forget = (): unknown => unhandled.delete(event);
      turn.then(forget, forget);
      // The deadline includes waiting for earlier events of the conversation.
      const isInTime = await settlesWithin(
        answerWanted ? Promise.race([turn, answerWanted]) : turn,
        ackDeadlineMs,
      );
      if (!unhandled.has(event)) return turn;
      if (!isInTime) {
        connected(receiver).log.warn(
          { ...describeEvent(event), ms: age(event) },
          'handlers are still running; answered 200 at the deadline',
        );
      }
      void turn.then((acceptance) => logLate(event, acceptance, isInTime));
      return 'late';
    },
    pendingEvents: async (conversationId) =>
      [...unhandled.keys()]
        .filter((event) => event.conversationId === conversationId)
        .map(({ name }) => name),
    async answered(event) {
      const replies = unanswered.get(event);
      if (event.name === 'handoff.requested' && replies) await sendHeld(event, replies);
      await unhandled.get(event);
    },
    async stop({ timeoutMs }) {
      await settlesWithin(conversations.idle(), timeoutMs);
      const unfinished = conversations.pending;
      runner.abortAll();
      stopping.abort();
      return { unfinished };
    },
    stats: async () => ({ pending: conversations.pending, remembered: handled.size }),
  };
}

const age = (event: DeliveredEvent): number => Date.now() - event.receivedAt;

/**
 * Retries postponed events in memory: runs the handlers of an event, and again after a delay while they postpone. The
 * event fails, and is reported, when `totalMs` have passed or `signal` aborts.
 */
function createInlineRetry(backoff: Backoff, totalMs: number, signal: AbortSignal) {
  const postponements = createPostponements(backoff);
  // Node warns of more than ten listeners; here, each event that waits has one.
  setMaxListeners(0, signal);
  return async (
    receiver: DeliveryReceiver,
    event: DeliveredEvent,
    handle: () => Promise<RunResult>,
  ): Promise<RunResult> => {
    const deadline = performance.now() + totalMs;
    let result = await handle();
    while (!signal.aborted && result?.error instanceof Postponed) {
      const afterMs = postponements.next(event.key, result.error);
      if (performance.now() + afterMs > deadline) break;
      logPostponed(receiver, event, afterMs, result.error);
      // Rejects when the signal aborts.
      await sleep(afterMs, undefined, { signal, ref: false }).catch(() => undefined);
      if (!signal.aborted) result = await handle();
    }
    postponements.end(event.key);
    if (result?.error instanceof Postponed) {
      receiver.report(result.error, { ...describeEvent(event), attempt: 1 });
    }
    return result;
  };
}
