import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { Express } from 'express';
import type { Logger } from 'pino';
import { type Delivery, inline } from '../delivery/index.js';
import type { AgentView, HostSession } from '../desk/index.js';
import {
  DEFAULT_BOT,
  type EventName,
  type HandlerContexts,
  type HandoffMessageContext,
} from '../events/index.js';
import { createTaskCounter, settlesWithin, type TaskCounter } from '../internal/index.js';
import { collectMetrics } from '../metrics/index.js';
import {
  type BotOptions,
  type CommonReceiverOptions,
  createReceiver,
  type Receiver,
  type SeveralBotsOptions,
} from '../receiver/index.js';
import { createApp } from './app.js';
import { type ConnectedAdapter, loadAdapters } from './connect-adapter.js';
import { listen } from './listen.js';
import type { Reporter } from './reporter.js';
import { authOf, type BotSettings, singleBotSettings } from './settings/bot-settings.js';
import type { Settings } from './settings/settings-schema.js';

/** The receiver as a program. */
export interface Standalone {
  readonly app: Express;
  readonly receiver: Receiver;
  /** The desk, or adapters: that of ADAPTER first. None without agents. */
  readonly adapters: readonly ConnectedAdapter[];
  /** Starts the receiver, then listens. Resolves to the URL under which this machine reaches it. */
  listen(): Promise<string>;
  /**
   * Answers `/readyz` with 503 and everything else as before for the setting `shutdownDelay`. Then refuses new
   * connections, answers the requests of those it has taken, lets running handlers finish, and closes every connection.
   */
  close(): Promise<{ readonly unfinished: number }>;
}

/** The time that sockets get to close by themselves after the last handler has finished. */
const SOCKETS_CLOSE_MS = 1_000;

/** The time that the first request of a connection gets when the shutdown begins. */
const FIRST_REQUEST_MS = 1_000;

const SERVER_OPTIONS = {
  headersTimeout: 10_000,
  // The receiver's own limit is shorter and answers 408; this one only closes the connection.
  requestTimeout: 15_000,
  // Proxies keep connections for 60 seconds. They must close first, or a request may hit a closed connection.
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5_000,
};

/** The parts of the program besides its settings. */
export interface StandaloneParts {
  readonly reporter: Reporter;
  readonly log: Logger;
  /** The opened database of the setting `databaseUrl`. Without it nothing is stored, whatever the setting says. */
  readonly delivery?: Delivery | null;
  /** Creates a link that logs this agent in at the desk once. */
  readonly oneTimeLinksFor?: readonly AgentView[] | undefined;
  /** Tells the desk which agent a request comes from. Default: agents log in at the desk. */
  readonly deskAgents?: HostSession | undefined;
  /** The settings of each bot. Default: one bot, with the program's settings. */
  readonly bots?: BotSettings;
  /** Accepts handoff requests even if nothing answers them. AUTO_REPLY and agents accept them anyway. */
  readonly acceptsUnanswered?: boolean;
}

/** Creates the program from its settings. It does not listen yet. */
export async function createStandalone(settings: Settings, parts: StandaloneParts): Promise<Standalone> {
  const { reporter, log, delivery = null, oneTimeLinksFor, deskAgents, acceptsUnanswered = false } = parts;
  const bots = parts.bots ?? singleBotSettings(settings);
  const loaded = await loadAdapters(settings);
  const receiver = createReceiver({
    ...commonOptions(settings),
    ...botsOf(settings, bots),
    delivery: delivery ?? inline(),
    unhandled: acceptsUnanswered || settings.autoReply !== undefined ? 'accept' : 'refuse',
    log,
  });
  const report = (context: HandlerContexts[EventName]): void => reporter.event(context);
  receiver.onAny(report).on('probe', report);
  if (settings.autoReply !== undefined) receiver.on('handoff.message', autoReply(settings.autoReply));

  const adapters = loaded.map((connect) => connect({ receiver, log, oneTimeLinksFor, deskAgents }));
  const bridges = Object.fromEntries(adapters.map((adapter) => [adapter.name, adapter]));
  const metrics = collectMetrics(receiver, { bridges });
  const { mountPath, trustProxy } = settings;
  let isStopping = false;
  const app = createApp({
    receiver,
    log,
    mountPath,
    trustProxy,
    metrics,
    adapters,
    delivery,
    isStopping: () => isStopping,
  });
  const server = createServer(SERVER_OPTIONS, app);
  const expectedRequests = countExpectedRequests(server);

  const shutDown = async (): Promise<{ unfinished: number }> => {
    isStopping = true;
    if (server.listening && settings.shutdownDelay > 0) await wait(settings.shutdownDelay);
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    await settlesWithin(expectedRequests.idle(), FIRST_REQUEST_MS);
    const deadline = Date.now() + settings.shutdownTimeout;
    const drained = await receiver.close({ timeoutMs: settings.shutdownTimeout });
    const timeoutMs = Math.max(SOCKETS_CLOSE_MS, deadline - Date.now());
    await Promise.all(adapters.map((adapter) => adapter.close({ timeoutMs })));
    const sweep = setInterval(() => server.closeIdleConnections(), 20);
    await settlesWithin(closed, SOCKETS_CLOSE_MS);
    clearInterval(sweep);
    server.closeAllConnections();
    return drained;
  };
  let closing: ReturnType<typeof shutDown> | undefined;

  return {
    app,
    receiver,
    adapters,
    async listen() {
      await startReceiver(receiver, log);
      return listen(server, settings.port, settings.host);
    },
    close: () => (closing ??= shutDown()),
  };
}

/** Counts the connections whose first request is on its way. */
function countExpectedRequests(server: Server): TaskCounter {
  const counter = createTaskCounter();
  const silent = new Set<Socket>();
  const heard = (socket: Socket): void => {
    if (silent.delete(socket)) counter.leave();
  };
  server.on('connection', (socket: Socket) => {
    silent.add(socket);
    counter.enter();
    socket.once('close', () => heard(socket));
  });
  server.on('request', ({ socket }) => heard(socket));
  return counter;
}

const START_AGAIN_MS = 2_000;

/** Error codes of a database server that is unreachable, starting or stopping. */
const UNREACHABLE = new Set<unknown>([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  '57P01',
  '57P03',
]);

function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && (UNREACHABLE.has(error.code) || error.code === 'DATABASE_TIMEOUT')) return true;
  const causes = error instanceof AggregateError ? error.errors : [error.cause];
  return causes.some(isUnreachable);
}

/**
 * Starts the receiver. If the database is unreachable, the program starts anyway: requests are answered 503, `/readyz`
 * gives the reason, and starting is retried. Any other error of the database is thrown.
 */
async function startReceiver(receiver: Receiver, log: Logger): Promise<void> {
  try {
    await receiver.start();
  } catch (error) {
    if (!isUnreachable(error)) throw error;
    log.error({ err: error }, 'the database cannot be reached: trying again');
    const retry = (): void => {
      if (!receiver.accepting) return;
      receiver.start().then(
        () => log.info({}, 'the database can be reached: started'),
        () => void setTimeout(retry, START_AGAIN_MS).unref(),
      );
    };
    setTimeout(retry, START_AGAIN_MS).unref();
  }
}

function commonOptions(settings: Settings): CommonReceiverOptions {
  const { mountPath, probeAuth, waitTimeout, bodyLimit, greeting } = settings;
  return {
    basePath: mountPath,
    probes: { auth: probeAuth },
    waitTimeoutMs: waitTimeout,
    limits: { bodyBytes: bodyLimit },
    ...(greeting !== undefined && { greeting }),
  };
}

function botOptions(settings: Settings): BotOptions {
  const { platformBaseUrl: baseUrl, platformApiKey: apiKey } = settings;
  return {
    auth: authOf(settings),
    ...(baseUrl !== undefined &&
      apiKey !== undefined && {
        platform: { baseUrl, apiKey },
      }),
  };
}

/** One bot, or several by name. */
function botsOf(settings: Settings, bots: BotSettings): BotOptions | Pick<SeveralBotsOptions, 'bots'> {
  if (bots.size === 1 && bots.has(DEFAULT_BOT)) return botOptions(settings);
  const options = [...bots].map(([name, own]) => [name, botOptions(own)] as const);
  return { bots: Object.fromEntries(options) };
}

/** Answers each message with the template, in which {text} is the message. A blank answer is not sent. */
function autoReply(template: string) {
  return async ({ text: said, reply, signal }: HandoffMessageContext): Promise<void> => {
    const text = template.replaceAll('{text}', () => said);
    if (text.trim() !== '') await reply(text, { signal });
  };
}
