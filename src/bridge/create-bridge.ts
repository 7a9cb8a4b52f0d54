/**
 * Puts a bridge together. ARCHITECTURE.md has a drawing of its parts, and of the way of a message in each direction.
 *
 * A receiver may have several bridges: each acts on its own conversations (ownership). Handlers run outside of the
 * delivery's slots, since they wait for the helpdesk (helpdesk-runs).
 *
 * @module
 */
import { randomUUID } from 'node:crypto';
import { logOf, withRedaction } from '../internal/create-log.js';
import { settlesWithin } from '../internal/index.js';
import {
  createFetch,
  createListener,
  type FetchHandler,
  type RequestHandling,
  type RequestListener,
} from '../receiver/index.js';
import { type AdapterCheckResult, AdapterError } from './adapter/adapter-types.js';
import { type BridgeContext, type BridgeStats, createCounters } from './bridge-context.js';
import { createAdapterCalls, createAuthFailureLog, createCallRetry } from './calls/adapter-calls.js';
import { createHelpdeskRuns } from './calls/helpdesk-runs.js';
import { createRateLimiter, createSharedRateLimiter } from './calls/rate-limiter.js';
import { createEventEffects } from './inbound/event-effects.js';
import { createConversationFinder } from './inbound/find-conversation.js';
import { runCatchUpLoop, runPollLoop, runStreamLoop } from './inbound/inbound-loops.js';
import { createEventOrder } from './inbound/order-events.js';
import { createEventReceiver } from './inbound/receive-events.js';
import { createStoredEvents } from './inbound/stored-events.js';
import { createWebhook } from './inbound/webhook.js';
import { type BridgeOptions, type BridgeSettings, createRenderMessage, readOptions } from './options.js';
import { createAdmitHandoff, createOnRequested } from './outbound/accept-handoff.js';
import { createHelpdeskCloser, createOnClosed, createTellAndEnd } from './outbound/close-conversation.js';
import { createOnMessage, createSendToHelpdesk } from './outbound/deliver-message.js';
import { createEchoDetector } from './outbound/echo-detection.js';
import { createConversationOpener } from './outbound/open-conversation.js';
import { createOrphans, runReconcileLoop } from './outbound/orphans.js';
import { createSendTranscript } from './outbound/send-transcript.js';
import { createUndeliveredReplies } from './outbound/undelivered.js';
import { createOwnOnly, joinReceiver } from './ownership.js';

/** Carries handed-over conversations between a receiver and a helpdesk. */
export interface Bridge {
  /**
   * Receives the helpdesk's webhooks. Mount it before body parsers: signatures are computed over the raw body.
   *
   * @example
   * app.use('/desk', bridge.webhook);
   */
  readonly webhook: RequestListener;
  /**
   * The same for servers that speak Fetch, whatever the path.
   *
   * @example
   * export const POST = bridge.fetch;
   */
  readonly fetch: FetchHandler;
  /** The same for any other server: bindings of servers that keep running take a bridge as they take a receiver. */
  readonly handle: RequestHandling['handle'];
  /**
   * Checks that the helpdesk is reachable and set up. Never rejects.
   *
   * @example
   * for (const { name, ok, detail } of await bridge.check()) console.log(ok ? 'ok' : 'FAILED', name, detail);
   */
  check(): Promise<readonly AdapterCheckResult[]>;
  /**
   * Returns the counters since the bridge was created.
   *
   * @example
   * const { opened, sent, replied } = bridge.stats();
   */
  stats(): BridgeStats;
  /**
   * Returns whether the helpdesk answers, as far as known. While it does not, events wait and are delivered afterwards.
   *
   * @example
   * if (!bridge.isAvailable()) console.log('the helpdesk does not answer');
   */
  isAvailable(): boolean;
  /**
   * Stops the bridge and waits for running work, by default up to 10 seconds. Close the receiver first.
   *
   * @example
   * await receiver.close();
   * await bridge.close({ timeoutMs: 5_000 });
   */
  close(options?: { readonly timeoutMs?: number }): Promise<void>;
}

/** Calls to a helpdesk that does not answer are paused for `retry.firstWaitMs` times this first: 5 seconds by default. */
const FIRST_PAUSE = 25;

/**
 * Creates a bridge between a receiver and an adapter. Create it before `receiver.start()`.
 *
 * @example
 * const receiver = createReceiver({ auth, platform, delivery: sqlite({ file: 'handoff.db' }) });
 * const bridge = createBridge({ receiver, adapter: ourDesk(settings) });
 * app.use('/desk', bridge.webhook);
 * app.use('/webhook', receiver);
 * await receiver.start();
 */
export function createBridge(options: BridgeOptions): Bridge {
  return startBridge(options, readOptions(options));
}

export function startBridge(
  { adapter, receiver, log: givenLog }: BridgeOptions,
  settings: BridgeSettings,
): Bridge {
  const ownership = joinReceiver(receiver, adapter.name, settings.botIds);
  const log = withRedaction(logOf(givenLog)).child({ adapter: adapter.name });
  const counters = createCounters();
  const stopping = new AbortController();
  const runs = createHelpdeskRuns({
    receiver,
    adapter: adapter.name,
    log,
    stopSignal: stopping.signal,
    onRecoveredElsewhere() {
      calls.resume();
      void runs.wakeAll();
    },
  });
  const calls = createAdapterCalls({
    helpdesk: adapter.name,
    receiver,
    log,
    timeoutMs: settings.callTimeoutMs,
    breaker: {
      firstWaitMs: settings.retry.firstWaitMs * FIRST_PAUSE,
      onOutage: () => counters.count('outages'),
      onTrial: () => void runs.wakeOne(),
      onRecovered() {
        void runs.announceRecovery();
        void runs.wakeAll();
      },
    },
  });
  const context: BridgeContext = {
    adapter,
    conversations: receiver.conversations,
    lifecycle: receiver.conversations.lifecycle,
    isStored: receiver.storage.queues !== null,
    settings,
    ownership,
    calls,
    retry: createCallRetry(settings.retry, calls.signal),
    auth: createAuthFailureLog(log),
    renderMessage: createRenderMessage(settings.messages),
    counters,
    log,
    instanceId: randomUUID(),
    stopSignal: stopping.signal,
  };

  const { rate } = adapter.capabilities;
  const { database } = receiver.storage;
  const echoes = createEchoDetector(context);
  const closer = createHelpdeskCloser(context, echoes);
  const orphans = createOrphans(context, closer);
  const opener = createConversationOpener(context, orphans);
  const tellAndEnd = createTellAndEnd(context);
  const ownOnly = createOwnOnly(ownership, context.lifecycle.store, (conversation) =>
    tellAndEnd(conversation, 'unavailable', 'no bridge takes the conversations of its bot any more'),
  );
  const rateLimiter =
    rate && database ? createSharedRateLimiter(rate, database, adapter.name) : createRateLimiter(rate);
  const send = createSendToHelpdesk(context, echoes, rateLimiter, receiver.storage);
  const sendTranscript = createSendTranscript(context, send);
  const order = createEventOrder(context);
  const undelivered = createUndeliveredReplies(context, receiver.storage, echoes);
  const events = createEventReceiver(context, {
    finder: createConversationFinder(context, opener, orphans),
    order,
    effects: createEventEffects(context, echoes, closer),
    undelivered,
  });
  const { inbound } = adapter.capabilities;
  const stored =
    database && inbound.includes('webhook') ? createStoredEvents(context, events, database) : null;
  const webhook = createWebhook(context, events, stored, receiver);

  receiver
    .admit(createAdmitHandoff(context, opener))
    .on(
      'handoff.requested',
      ownOnly(runs.wrap(createOnRequested(context, opener, sendTranscript, tellAndEnd))),
    )
    .on(
      'handoff.message',
      ownOnly(runs.wrap(createOnMessage(context, { opener, send, sendTranscript, tellAndEnd }))),
    )
    .on('handoff.closed', ownOnly(runs.wrap(createOnClosed(context, closer, orphans))));

  const loops = [
    runReconcileLoop(context, orphans, closer, undelivered),
    ...(adapter.catchUp ? [runCatchUpLoop(context, events, order)] : []),
    ...(stored ? [stored.run()] : []),
    ...(inbound.includes('poll') ? [runPollLoop(context, events)] : []),
    ...(inbound.includes('stream') ? [runStreamLoop(context, events)] : []),
  ];

  /** Runs before the receiver closes its store, so that the loops can release their leases to other processes. */
  const stopLoops = async (): Promise<void> => {
    stopping.abort();
    await Promise.all(loops);
  };
  receiver.onClosing(stopLoops);

  const stop = async (timeoutMs: number): Promise<void> => {
    const deadline = Date.now() + timeoutMs;
    const remaining = (): number => Math.max(0, deadline - Date.now());
    await settlesWithin(webhook.inFlight.idle(), remaining());
    await calls.end(remaining());
    await settlesWithin(
      Promise.all([events.idle(), stored?.idle(), stopLoops()]),
      Math.max(1_000, remaining()),
    );
    await adapter.dispose?.();
  };
  let closing: Promise<void> | undefined;

  return {
    webhook: createListener(webhook),
    fetch: createFetch(webhook),
    handle: webhook.handle,
    async check() {
      try {
        return await calls.run('check', (call) => adapter.check(call));
      } catch (error) {
        const detail = error instanceof AdapterError ? error.message : 'the check itself failed.';
        return [{ name: 'check', ok: false, detail }];
      }
    },
    stats: () => context.counters.read(),
    isAvailable: () => !calls.isPaused,
    close: ({ timeoutMs = 10_000 } = {}) => (closing ??= stop(timeoutMs)),
  };
}
