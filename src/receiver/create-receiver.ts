import { DEFAULT_RECEIVER, inline } from '../delivery/index.js';
import {
  checkName,
  createDirectReplies,
  createDispatcher,
  createRegistry,
  type DeliveredEventName,
} from '../events/index.js';
import { createHandoffLifecycle, createMemoryHandoffStore } from '../handoff/index.js';
import { logOf, withRedaction } from '../internal/create-log.js';
import {
  checkCount,
  checkDuration,
  configError,
  createTaskCounter,
  settlesWithin,
} from '../internal/index.js';
import { createRecorder } from '../recording/index.js';
import { createBots } from './bots.js';
import {
  beginHandoff,
  createConversations,
  createFindSession,
  createGreet,
  trackReplies,
  withHandoffTracking,
} from './conversations.js';
import { createAnswers, createRequestLog } from './exchange.js';
import { createFetch } from './fetch.js';
import { createInject } from './inject.js';
import { createListener } from './node-http.js';
import {
  ADD_HANDOFF_HANDLER,
  acceptsUnhandled,
  checkReceiverOptions,
  type ReceiverOptions,
  type SeveralBotsOptions,
} from './options.js';
import { createReceive } from './receive.js';
import type { Receiver } from './receiver.js';
import { recordRequests } from './record.js';
import { createTracer } from './trace.js';

/** How long each closing hook may take. */
const CLOSING_HOOK_MS = 2_000;

/**
 * Creates a receiver for everything the platform sends. `State` is the type of `state`, the values that middleware
 * passes to handlers.
 *
 * @example
 * const receiver = createReceiver({
 *   auth: { message: webhookUser({ username, secret }), handoff: pathToken(token) },
 *   platform: { baseUrl, apiKey },
 * });
 * receiver.on('handoff.message', async ({ text, reply }) => {
 *   await reply(`You said: ${text}`);
 * });
 * await receiver.start();
 * app.use('/webhook', receiver);
 */
export function createReceiver<State extends object = object>(
  options: ReceiverOptions | SeveralBotsOptions,
): Receiver<State> {
  // In JavaScript the options can be missing; the guards say what is needed then.
  checkReceiverOptions(options ?? {});
  const log = logOf(options?.log);
  const recorder = options?.record
    ? createRecorder(options.record, (message) => log.error({}, message))
    : null;
  const bots = createBots(options ?? ({} as ReceiverOptions), recorder);
  const { directory, platforms, hasMessages, hasHandoffs } = bots;
  if (options.greeting !== undefined && [...platforms.values()].every((platform) => platform === null)) {
    throw configError('greeting needs platform: without it nothing can be sent to users.');
  }
  const receiverName = checkName('name', options.name ?? DEFAULT_RECEIVER);
  for (const option of bots.emptySecrets) {
    log.warn({}, `the secret of ${option} is empty: requests need the username alone, as Bearer`);
  }
  const handlerLog = withRedaction(log);
  const delivery = options.delivery ?? inline();
  const registry = createRegistry();
  const inFlight = createTaskCounter();
  const trace = createTracer(delivery.start !== undefined, () => receiver);
  const tracedBots = trace.bots(directory);
  const untracked = trace.replies(
    delivery.createReplies?.(tracedBots) ??
      createDirectReplies(tracedBots, {
        onFailed: (conversationId, err) =>
          log.warn({ conversationId, err }, 'a reply or end did not reach the platform'),
      }),
  );
  const waitTimeoutMs = checkDuration('waitTimeoutMs', options.waitTimeoutMs ?? 60_000);
  const lifecycle = createHandoffLifecycle(delivery.handoffs ?? createMemoryHandoffStore(), {
    waitTimeoutMs,
  });
  const tracked = hasHandoffs ? trackReplies({ lifecycle, replies: untracked, log }) : null;
  const replies = tracked ?? untracked;
  const dispatcher = createDispatcher({
    registry,
    replies,
    log,
    handlerLog,
    waitTimeoutMs,
    findConversation: (id) => lifecycle.store.get(id),
    receiver: () => receiver,
  });
  let closing: Promise<{ unfinished: number }> | undefined;
  let starting: Promise<void> | undefined;
  let isStarted = false;

  const createdGreet = createGreet(options.greeting, replies, dispatcher);
  const greet = createdGreet && trace.greet(createdGreet);
  const isUnhandledAccepted = acceptsUnhandled(options.unhandled);
  const acceptsHandoffs = (): boolean => isUnhandledAccepted || registry.hasHandlerOf('handoff.requested');
  const handles = (name: DeliveredEventName): boolean => {
    if (name === 'handoff.requested') return acceptsHandoffs();
    // A close ends the conversation, even if the application has no handler for it.
    return registry.handlersOf(name).length > 0 || (name === 'handoff.closed' && tracked !== null);
  };
  const limits = {
    maxBytes: checkCount('limits.bodyBytes', options.limits?.bodyBytes ?? 262_144),
    readTimeoutMs: checkDuration('limits.readTimeoutMs', options.limits?.readTimeoutMs ?? 10_000),
    depth: checkCount('limits.depth', options.limits?.depth ?? 64),
  };

  const receive = createReceive({
    routes: bots.routes,
    isToken: bots.isToken,
    isDraining: () => closing !== undefined,
    authenticate: bots.authenticate,
    limits,
    bots: directory,
    findSession: createFindSession(lifecycle.store, delivery),
    acceptsHandoffs,
    isDropped: (name) => isStarted && !handles(name),
    dispatcher,
    delivery: {
      accept: trace.accept((event) => delivery.accept(event)),
      seen: (event) => delivery.seen(event),
      answered: async (event) => delivery.answered?.(event),
    },
    answers: createAnswers(options.answers),
    requestLog: createRequestLog(log),
    trace,
    inFlight,
  });
  const handling = recorder ? recordRequests(receive, bots.routes, recorder) : receive;
  const listener = createListener(handling);
  // Last, since it takes the name: the options are checked by now.
  delivery.connect({
    name: receiverName,
    hasBot: (bot) => platforms.has(bot),
    handles,
    async greet(event) {
      if (!greet) return;
      // A stored handoff is greeted before it is handled. If this fails, handling fails too, and reports it.
      if (tracked) await beginHandoff(lifecycle, event).catch(() => undefined);
      await greet(event);
    },
    handle: trace.handle(
      tracked ? withHandoffTracking(lifecycle, dispatcher) : (event, run) => dispatcher.handle(event, run),
    ),
    report: (error, place) => dispatcher.report(error, place),
    log,
  });

  const closingHooks: (() => unknown)[] = [];
  const runClosingHook = async (hook: () => unknown): Promise<void> => {
    try {
      await settlesWithin(Promise.resolve(hook()), CLOSING_HOOK_MS);
    } catch (err) {
      log.error({ err }, 'a closing hook failed');
    }
  };

  const warnOfMissingHandlers = (): void => {
    const expected: readonly DeliveredEventName[] = [
      ...(hasMessages ? ['message' as const] : []),
      ...(hasHandoffs ? ['handoff.message' as const] : []),
    ];
    const missing = expected.filter((name) => !handles(name));
    if (missing.length > 0) {
      log.warn(
        { events: missing },
        `no handler for ${missing.join(', ')}: such events are acknowledged and dropped`,
      );
    }
    if (hasHandoffs && !acceptsHandoffs()) {
      log.warn(
        { events: ['handoff.requested'] },
        `no handler for handoff.requested: handoff requests are answered 503; ${ADD_HANDOFF_HANDLER}`,
      );
    }
  };

  const start = async (): Promise<void> => {
    registry.seal();
    await delivery.start?.();
    isStarted = true;
    warnOfMissingHandlers();
  };

  const drain = async (timeoutMs: number): Promise<{ unfinished: number }> => {
    const deadline = Date.now() + timeoutMs;
    const left = (): number => Math.max(0, deadline - Date.now());
    // From the next turn on, the receiver is closing: hooks see that, and may call close themselves.
    await Promise.resolve();
    await settlesWithin(Promise.all([inFlight.idle(), ...closingHooks.map(runClosingHook)]), left());
    const { unfinished } = await delivery.stop({ timeoutMs: left() });
    await settlesWithin(replies.idle(), left());
    await recorder?.close();
    if (unfinished > 0) log.error({ unfinished, timeoutMs }, 'closed before all handlers had finished');
    return { unfinished };
  };

  /** Calls of these methods can be chained. */
  const chained =
    <Args extends readonly unknown[]>(register: (...args: Args) => void) =>
    (...args: Args): Receiver => {
      register(...args);
      return receiver;
    };

  const receiver: Receiver = Object.assign(listener, {
    on: chained(registry.on),
    onAny: chained(registry.onAny),
    use: chained(registry.use),
    onError: chained(registry.onError),
    onClosing: chained((hook: () => unknown) => void closingHooks.push(hook)),
    admit: chained(registry.admit),
    fetch: createFetch(handling),
    handle: handling.handle,
    inject: createInject({
      registry,
      log,
      handlerLog,
      waitTimeoutMs,
      bots: directory,
      receiver: () => receiver,
    }),
    conversations: createConversations(lifecycle, replies),
    storage: {
      database: delivery.database ?? null,
      queues: delivery.queues ?? null,
      isOutboxPaused: (bot?: string) => delivery.isOutboxPaused?.(bot) ?? false,
    },
    platforms,
    hasGreeting: options.greeting !== undefined,
    stats: () => delivery.stats(),
    accepting: true,
    started: !delivery.start,
    start() {
      starting ??= start().catch((error: unknown) => {
        starting = undefined;
        throw error;
      });
      return starting;
    },
    close: ({ timeoutMs = 10_000 }: { timeoutMs?: number } = {}) => (closing ??= drain(timeoutMs)),
  });
  Object.defineProperty(receiver, 'accepting', { get: () => closing === undefined });
  Object.defineProperty(receiver, 'started', { get: () => isStarted || !delivery.start });
  // The state is the application's: nothing here reads it.
  return receiver as Receiver<State>;
}
