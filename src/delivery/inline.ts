import { createDirectReplies, type DeliveredEvent, HeldReplies, Postponed } from '../events/index.js';
import {
  checkCount,
  checkDuration,
  checkOptionNames,
  createKeyedQueue,
  createRecentKeys,
  settlesWithin,
} from '../internal/index.js';
import { type Backoff, createPostponements } from './backoff.js';
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
  const {
    ackDeadlineMs = 5_000,
    handlerTimeoutMs = 300_000,
    maxPending = 10_000,
    maxRemembered = 10_000,
    rememberMs = 600_000,
  } = options;
  checkDuration('ackDeadlineMs', ackDeadlineMs);
  checkDuration('handlerTimeoutMs', handlerTimeoutMs);
  checkDuration('rememberMs', rememberMs);
  checkCount('maxPending', maxPending);
  checkCount('maxRemembered', maxRemembered);
  const conversations = createKeyedQueue();
  const handled = createRecentKeys({ maxKeys: maxRemembered, maxAgeMs: rememberMs });
  const runner = createHandlerRunner(handlerTimeoutMs);
  const retry = createInlineRetry({ minDelayMs: 1_000, maxDelayMs: 30_000 }, handlerTimeoutMs);
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
    if (isRepeat || (await retry.run(running, event, () => run(running, event)))) {
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
      retry.stop();
      return { unfinished };
    },
    stats: async () => ({ pending: conversations.pending, remembered: handled.size }),
  };
}

const age = (event: DeliveredEvent): number => Date.now() - event.receivedAt;

/** Retries postponed events in memory, for inline delivery. */
interface InlineRetry {
  /**
   * Runs the handlers of an event, and again after a delay while they postpone. The event fails, and is reported, when
   * the time limit has passed or the process stops.
   */
  run(
    receiver: DeliveryReceiver,
    event: DeliveredEvent,
    handle: () => Promise<RunResult>,
  ): Promise<RunResult>;
  /** Ends all waits. */
  stop(): void;
}

/** Creates an {@link InlineRetry} that gives each event `totalMs`. */
function createInlineRetry(backoff: Backoff, totalMs: number): InlineRetry {
  const postponements = createPostponements(backoff);
  const waits = new Set<() => void>();
  let stopped = false;

  const wait = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        waits.delete(end);
        resolve();
      };
      const timer = setTimeout(end, ms).unref();
      waits.add(end);
    });

  return {
    async run(receiver, event, handle) {
      const deadline = performance.now() + totalMs;
      let result = await handle();
      while (!stopped && result?.error instanceof Postponed) {
        const afterMs = postponements.next(event.key, result.error);
        if (performance.now() + afterMs > deadline) break;
        logPostponed(receiver, event, afterMs, result.error);
        await wait(afterMs);
        if (!stopped) result = await handle();
      }
      postponements.end(event.key);
      if (result?.error instanceof Postponed) {
        receiver.report(result.error, { ...describeEvent(event), attempt: 1 });
      }
      return result;
    },
    stop() {
      stopped = true;
      for (const end of waits) end();
    },
  };
}
