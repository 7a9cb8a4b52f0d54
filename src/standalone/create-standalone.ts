import { createServer } from 'node:http';
import type { Express } from 'express';
import type { Logger } from 'pino';
import type { AgentView } from '../adapters/desk/index.js';
import { createServiceClient } from '../client/index.js';
import { type Delivery, inline } from '../delivery/index.js';
import type { HandoffMessageContext } from '../events/index.js';
import { within } from '../internal/index.js';
import {
  type AuthScheme,
  bearer,
  createReceiver,
  noAuth,
  pathToken,
  type Receiver,
  type ReceiverOptions,
  webhookUser,
} from '../receiver/index.js';
import { type Connected, loadAdapter } from './adapters/index.js';
import { createApp } from './app.js';
import { listen } from './listen.js';
import { createMeasures, type Measures } from './metrics/index.js';
import type { Reporter } from './reporter.js';
import type { Settings } from './settings-schema.js';

/** The receiver as a program. */
export interface Standalone {
  readonly app: Express;
  readonly receiver: Receiver;
  /** Where humans answer; `null` where they do not. */
  readonly adapter: Connected | null;
  /** Starts to listen. Gives the address under which this machine reaches it. */
  listen(): Promise<string>;
  /** Stops: no new connections, running handlers may finish, then every connection is closed. */
  close(): Promise<{ readonly unfinished: number }>;
}

/** How long sockets may take to close by themselves once every handler has finished. */
const LAST_BYTES_MS = 1_000;

const SERVER_OPTIONS = {
  headersTimeout: 10_000,
  // The receiver gives up on a body before that, with an answer that says so.
  requestTimeout: 15_000,
  // Longer than the minute that proxies keep a connection, so that they are the ones who close it.
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5_000,
};

/** What {@link createStandalone} needs beside settings. */
export interface StandaloneParts {
  readonly reporter: Reporter;
  readonly log: Logger;
  /** What the setting `databaseUrl` names, opened. Without it nothing is stored, whatever the setting says. */
  readonly delivery?: Delivery | null;
  /** Makes a link that lets this agent into the desk once. */
  readonly oneTimeLinkFor?: AgentView | undefined;
  /** Whether the desk may be shown in a frame of its own origin. */
  readonly framed?: boolean;
}

/** Makes the program from its settings. Nothing listens yet. */
export async function createStandalone(
  settings: Settings,
  { reporter, log, delivery = null, oneTimeLinkFor, framed }: StandaloneParts,
): Promise<Standalone> {
  // Before there is a receiver: what is stored must not be handled by one that knows no adapter yet.
  const connect = await loadAdapter(settings);
  const measures = createMeasures();
  const receiver = createReceiver({
    ...receiverOptions(settings, measures),
    delivery: measures.delivery(delivery ?? inline()),
    log,
  });
  receiver.onAny((context) => reporter.event(context));
  if (settings.autoReply !== undefined) receiver.on('handoff.message', autoReply(settings.autoReply));

  const adapter = connect?.({ receiver, log, oneTimeLinkFor, framed }) ?? null;
  const queues = delivery?.queues ?? null;
  const { mountPath, trustProxy } = settings;
  const app = createApp({ receiver, log, mountPath, trustProxy, measures, adapter, queues });
  const server = createServer(SERVER_OPTIONS, app);

  const shutDown = async (): Promise<{ unfinished: number }> => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    const deadline = Date.now() + settings.shutdownTimeout;
    const drained = await receiver.close({ timeoutMs: settings.shutdownTimeout });
    await adapter?.close({ timeoutMs: Math.max(LAST_BYTES_MS, deadline - Date.now()) });
    const sweep = setInterval(() => server.closeIdleConnections(), 20);
    await within(closed, LAST_BYTES_MS);
    clearInterval(sweep);
    server.closeAllConnections();
    return drained;
  };
  let closing: ReturnType<typeof shutDown> | undefined;

  return {
    app,
    receiver,
    adapter,
    listen: () => listen(server, settings.port, settings.host),
    close: () => (closing ??= shutDown()),
  };
}

function receiverOptions(settings: Settings, measures: Measures): ReceiverOptions {
  const { serviceBaseUrl: baseUrl, serviceApiKey: apiKey, greeting } = settings;
  const { webhookUsername: username, webhookSecret: secret } = settings;
  const message = webhookUser({ username, secret });
  return {
    auth: { message, handoff: handoffScheme(settings, message) },
    basePath: settings.mountPath,
    probes: { auth: settings.probeAuth },
    waitTimeoutMs: settings.waitTimeout,
    limits: { bodyBytes: settings.bodyLimit },
    ...(baseUrl !== undefined &&
      apiKey !== undefined && { service: measures.client(createServiceClient({ baseUrl, apiKey })) }),
    ...(greeting !== undefined && { greeting }),
  };
}

function handoffScheme({ handoffAuth }: Settings, message: AuthScheme): AuthScheme {
  if ('token' in handoffAuth) {
    return handoffAuth.kind === 'path' ? pathToken(handoffAuth.token) : bearer(handoffAuth.token);
  }
  return handoffAuth.kind === 'webhook' ? message : noAuth();
}

/** Answers what the user wrote with a text made from it. Nothing is sent where that text is blank. */
function autoReply(template: string) {
  return async ({ payload, reply, signal }: HandoffMessageContext): Promise<void> => {
    const text = template.replaceAll('{text}', () => payload.body);
    if (text.trim() !== '') await reply(text, { signal });
  };
}
