import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PlatformClient } from '../client/index.js';
import type { DeliveryStats, QueueAdmin, SqlDatabase } from '../delivery/index.js';
import type { AdmitGate, AnyHandler, ErrorHandler, EventName, Handler, Middleware } from '../events/index.js';
import type { Conversations } from './conversations.js';
import type { FetchHandler } from './fetch.js';
import type { Inject } from './inject.js';
import type { NextFunction } from './node-http.js';
import type { RequestHandling } from './receive.js';

/** A request handler for Express, `http.createServer` and Fetch, and the methods to set it up and close it. */
export interface Receiver<State extends object = object> {
  /** Handles a request to one of its paths. Passes any other to `next`, or answers 404 without one. */
  (request: IncomingMessage, response: ServerResponse, next?: NextFunction): void;
  /**
   * Adds a handler of one kind of event. Handlers of one event run one after another.
   *
   * @example receiver.on('handoff.message', async ({ text, reply }) => { await reply(`You said: ${text}`); });
   */
  on<Name extends EventName>(name: Name, handler: Handler<Name, State>): Receiver<State>;
  /**
   * Adds a handler of every kind of event but probes: those are observed by `on('probe', …)` alone. It may only observe,
   * so that handoff requests still need a handler of their own.
   *
   * @example receiver.onAny(({ receivedAt, log }) => log.info({ receivedAt }, 'arrived'));
   */
  onAny(handler: AnyHandler<State>): Receiver<State>;
  /**
   * Adds middleware around the handlers of every event but probes, in the order of registration. An event without a
   * handler does not reach it.
   *
   * @example
   * receiver.use(async ({ log }, next) => {
   *   const startedAt = performance.now();
   *   await next();
   *   log.info({ ms: performance.now() - startedAt }, 'handled');
   * });
   */
  use(middleware: Middleware<State>): Receiver<State>;
  /**
   * Adds an error handler, called when a handler, middleware, gate or greeting fails.
   *
   * @example receiver.onError(({ error, event }) => console.error(event, error));
   */
  onError(handler: ErrorHandler): Receiver<State>;
  /**
   * Adds a gate that every handoff request must pass before it is accepted.
   *
   * @example receiver.admit(({ receivedAt }) => receivedAt.getUTCHours() >= 9 || 'We open at 9:00');
   */
  admit(gate: AdmitGate): Receiver<State>;
  /**
   * Handles a Fetch request to one of its paths, and answers any other 404: for route handlers of Next, and for servers
   * such as Hono, SvelteKit, Deno and Bun. Set `basePath` to the path of the mount.
   *
   * @example
   * export const POST = receiver.fetch;
   */
  readonly fetch: FetchHandler;
  /**
   * Handles a request of any other server, for writing a binding. Calls `send` with the answer, unless the sender hangs
   * up. Returns `null` if the path is not the receiver's; else a promise that resolves when all work has finished, also
   * that after the answer.
   *
   * @example
   * const handling = receiver.handle({ method, url, headers, read: () => bytes }, ({ status, body }) => {
   *   response.writeHead(status).end(body);
   * });
   * if (!handling) response.writeHead(404).end();
   */
  readonly handle: RequestHandling['handle'];
  /**
   * For unit tests: runs an event through middleware and handlers, without HTTP, credentials, delivery or platform.
   * `payload` is a part of the body in the wire's shape; the rest gets defaults. Replies are captured and not sent, and
   * conversations are kept in memory: a `handoff.message` after a `handoff.requested` knows its user. Gates and the
   * greeting do not run, and neither does what handlers do with `receiver.conversations`: `createTestBench` of
   * `handoff-kit/testing` plays a whole platform.
   *
   * @example
   * const { outcome, replies } = await receiver.inject('handoff.message', { body: 'Where is my order?' });
   * assert.deepEqual(replies, [{ text: 'You said: Where is my order?' }]);
   */
  readonly inject: Inject;
  /** Finds, replies to and ends handed-over conversations from outside a handler. */
  readonly conversations: Conversations;
  /** The database of the delivery, where it has one. */
  readonly storage: {
    /** The database, for other stores in it; `null` with inline delivery. */
    readonly database: SqlDatabase | null;
    /** Inspects and repairs stored events and replies; `null` with inline delivery. */
    readonly queues: QueueAdmin | null;
    /** Whether the replies of a bot, or of any, wait because the platform refuses the API key or has moved. */
    readonly isOutboxPaused: (bot?: string) => boolean;
  };
  /**
   * The client of each bot's platform, by the bot's name; `null` without the option `platform`. A single bot is named
   * `default`.
   *
   * @example await receiver.platforms.get('sales')?.webhooks.check();
   */
  readonly platforms: ReadonlyMap<string, PlatformClient | null>;
  /** The number of events that are accepted and not yet handled, and of remembered keys. */
  stats(): Promise<DeliveryStats>;
  /** Whether users are greeted: `greeting` was set. */
  readonly hasGreeting: boolean;
  /** Whether it accepts requests: `false` once `close` was called. */
  readonly accepting: boolean;
  /** Whether stored events are handled: `true` once `start` has resolved, and always with inline delivery. */
  readonly started: boolean;
  /**
   * Opens the storage, then starts to handle stored events. Call it once all handlers are registered; `on` throws
   * afterwards. Requests that arrive earlier are stored and answered. Rejects when the storage cannot be opened.
   * Optional with inline delivery.
   *
   * @example
   * receiver.on('handoff.message', async ({ text, reply }) => { await reply(`You said: ${text}`); });
   * await receiver.start();
   */
  start(): Promise<void>;
  /** Adds a hook that runs when the receiver begins to close, while the storage is still open. */
  onClosing(hook: () => unknown): Receiver<State>;
  /** Drains: answers 503 to new requests, and lets running handlers finish within `timeoutMs`, default 10 seconds. */
  close(options?: { readonly timeoutMs?: number }): Promise<{ readonly unfinished: number }>;
}
