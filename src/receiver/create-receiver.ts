import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServiceClient } from '../client/index.js';
import {
  createMemoryShelf,
  type DeliveryStats,
  inline,
  type Shelf,
  type SqlDatabase,
  type StoredQueues,
} from '../delivery/index.js';
import {
  type AdmitGate,
  type AnyHandler,
  createDirectReplies,
  createDispatcher,
  createRegistry,
  type ErrorHandler,
  type EventName,
  type Handler,
} from '../events/index.js';
import { createLifecycle, createMemoryStore } from '../handoff/index.js';
import {
  createLog,
  createPending,
  duration,
  type Log,
  quantityOf,
  silentLog,
  within,
  withRedaction,
} from '../internal/index.js';
import type { WebhookEndpoint } from '../protocol/index.js';
import { createAnswers } from './answer.js';
import { createGuard } from './auth/index.js';
import { createAuthenticate, type Guards } from './authenticate.js';
import { type Conversations, createConversations } from './conversations.js';
import { createGreet } from './greeting.js';
import { createListener, type NextFunction, type RequestListener } from './listener.js';
import { checkOptionNames, type ReceiverOptions, serviceOf } from './options.js';
import { createPipeline } from './pipeline.js';
import { createReadLimits } from './read-body.js';
import { createRequestLog } from './request-log.js';
import { createRoutes } from './routes.js';
import { beginHandoff, trackHandlers } from './track-handoffs.js';
import { trackReplies } from './track-replies.js';

/** A request handler of Express, or of `http.createServer`, with what it takes to set it up and to end it. */
export interface Receiver {
  /** Handles a request to one of its paths; any other goes on to `next`, or is answered 404 without one. */
  (request: IncomingMessage, response: ServerResponse, next?: NextFunction): void;
  /** Adds a handler of one kind of event. Handlers of one event run one after another. */
  on<Name extends EventName>(name: Name, handler: Handler<Name>): Receiver;
  /** Adds a handler of every kind of event. */
  onAny(handler: AnyHandler): Receiver;
  /** Adds a hearer of failures: of handlers, gates and greetings. */
  onError(handler: ErrorHandler): Receiver;
  /** Adds a gate that every handoff request must pass before it is accepted. */
  admit(gate: AdmitGate): Receiver;
  /**
   * Puts the receiver in front of an Express app, for its own paths only: `http.createServer(receiver.before(app))`.
   * It is faster than mounting, since its requests never pass through Express. Set `basePath`.
   */
  before(app: RequestListener): RequestListener;
  /** Finds, replies to and closes handed-over conversations from outside a handler. */
  readonly conversations: Conversations;
  /** What is kept in the database of the delivery, or in memory without one. */
  readonly storage: {
    /** Room for what an application must keep. */
    readonly shelf: Shelf;
    /** The database of the delivery, for components that have tables of their own; `null` without one. */
    readonly database: SqlDatabase | null;
    /** Events and replies that wait or are parked; `null` where they are not stored. */
    readonly queues: StoredQueues | null;
  };
  /** The client that replies go through; `null` where the receiver was not told where the service is. */
  readonly service: ServiceClient | null;
  /** How many events are accepted and not handled, and how many are remembered. */
  stats(): DeliveryStats;
  /** Whether it takes requests: `false` once `close` was called. */
  readonly accepting: boolean;
  /** Adds what is done when it begins to close, while what is stored can still be reached. */
  onClosing(hook: () => unknown): Receiver;
  /** Drains: new requests are answered 503, what runs may finish within the time, default 10 seconds. */
  close(options?: { readonly timeoutMs?: number }): Promise<{ readonly unfinished: number }>;
}

/** How long each may take that is told of the end. */
const CLOSING_HOOK_MS = 2_000;

const HANDOFF_ENDPOINTS = ['establish', 'chat', 'close'] as const satisfies readonly WebhookEndpoint[];

/**
 * Makes a receiver of everything the service sends.
 *
 * @example
 * const receiver = createReceiver({
 *   auth: { message: webhookUser({ username, secret }), handoff: pathToken(token) },
 *   service: { baseUrl, apiKey },
 * });
 * receiver.on('handoff.message', async ({ payload, reply }) => {
 *   await reply(`You said: ${payload.body}`);
 * });
 * app.use('/webhook', receiver);
 */
export function createReceiver(options: ReceiverOptions): Receiver {
  checkOptionNames(options);
  const guards: Guards = {
    message: createGuard('message', options.auth?.message),
    handoff: createGuard('handoff', options.auth?.handoff),
  };
  const log = logOf(options.log);
  const handlerLog = withRedaction(log);
  const delivery = options.delivery ?? inline();
  const registry = createRegistry();
  const inFlight = createPending();
  const client = serviceOf(options.service);
  const carried =
    delivery.createReplies?.(client) ??
    createDirectReplies(client, (conversationId, err) =>
      log.warn({ conversationId, err }, 'a reply or close did not reach the service'),
    );
  const waitTimeoutMs = duration('waitTimeoutMs', options.waitTimeoutMs ?? 60_000);
  const lifecycle = createLifecycle(delivery.handoffs ?? createMemoryStore(), { waitTimeoutMs });
  const tracked = guards.handoff ? trackReplies({ lifecycle, replies: carried, log }) : null;
  const replies = tracked ?? carried;
  const dispatcher = createDispatcher({ registry, replies, log, handlerLog, waitTimeoutMs });
  let closing: Promise<{ unfinished: number }> | undefined;

  const greet = createGreet(options.greeting, tracked?.greetings ?? carried, dispatcher);
  delivery.start({
    async greet(event) {
      if (!greet) return;
      // What is stored is greeted before it is handled. Where this fails, so does handling, and tells of it.
      if (tracked) await beginHandoff(lifecycle, event).catch(() => undefined);
      await greet(event);
    },
    handle: tracked ? trackHandlers(lifecycle, dispatcher) : (event, run) => dispatcher.handle(event, run),
    report: (error, place) => dispatcher.report(error, place),
    log,
  });

  const knowsToken = (segment: string): boolean =>
    Boolean(guards.message?.knowsToken(segment) || guards.handoff?.knowsToken(segment));
  const limits = {
    ...createReadLimits(
      quantityOf('limits.bodyBytes', options.limits?.bodyBytes ?? 262_144),
      duration('limits.readTimeoutMs', options.limits?.readTimeoutMs ?? 10_000),
    ),
    depth: quantityOf('limits.depth', options.limits?.depth ?? 64),
  };

  const listener = createListener({
    routes: createRoutes({
      basePath: options.basePath,
      paths: options.paths,
      mounted: [
        ...(guards.message ? ['message' as const] : []),
        ...(guards.handoff ? HANDOFF_ENDPOINTS : []),
      ],
      tokenInPath: Boolean(guards.message?.inPath || guards.handoff?.inPath),
      knowsToken,
    }),
    knowsToken,
    pipeline: createPipeline({
      isDraining: () => closing !== undefined,
      authenticate: createAuthenticate(guards, options.probes?.auth !== 'none'),
      limits,
      dispatcher,
      delivery,
    }),
    limits,
    answers: createAnswers(options.answers),
    requestLog: createRequestLog(log, limits.depth),
    dispatcher,
    greet,
    inFlight,
  });

  const closers: (() => unknown)[] = [];
  const toldToClose = async (hook: () => unknown): Promise<void> => {
    try {
      await within(Promise.resolve(hook()), CLOSING_HOOK_MS);
    } catch (err) {
      log.error({ err }, 'what was to be done before closing failed');
    }
  };

  const drain = async (timeoutMs: number): Promise<{ unfinished: number }> => {
    const deadline = Date.now() + timeoutMs;
    const left = (): number => Math.max(0, deadline - Date.now());
    await within(Promise.all([inFlight.idle(), ...closers.map(toldToClose)]), left());
    const { unfinished } = await delivery.stop({ timeoutMs: left() });
    await within(replies.idle(), left());
    if (unfinished > 0) log.error({ unfinished, timeoutMs }, 'closed before all handlers had finished');
    return { unfinished };
  };

  const receiver: Receiver = Object.assign(listener, {
    on<Name extends EventName>(name: Name, handler: Handler<Name>) {
      registry.on(name, handler);
      return receiver;
    },
    onAny(handler: AnyHandler) {
      registry.onAny(handler);
      return receiver;
    },
    onError(handler: ErrorHandler) {
      registry.onError(handler);
      return receiver;
    },
    onClosing(hook: () => unknown) {
      closers.push(hook);
      return receiver;
    },
    admit(gate: AdmitGate) {
      registry.admit(gate);
      return receiver;
    },
    before:
      (app: RequestListener): RequestListener =>
      (request, response) =>
        listener(request, response, () => app(request, response)),
    conversations: createConversations(lifecycle, replies),
    storage: {
      shelf: delivery.shelf ?? createMemoryShelf(),
      database: null,
      queues: delivery.queues ?? null,
    },
    service: client,
    stats: () => delivery.stats(),
    accepting: true,
    close: ({ timeoutMs = 10_000 }: { timeoutMs?: number } = {}) => (closing ??= drain(timeoutMs)),
  });
  Object.defineProperty(receiver, 'accepting', { get: () => closing === undefined });
  return receiver;
}

function logOf(log: Log | false | undefined): Log {
  if (log === false) return silentLog;
  return log ?? createLog();
}
