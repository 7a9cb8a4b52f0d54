import { randomUUID } from 'node:crypto';
import { createLog, withRedaction } from '../internal/create-log.js';
import { type Log, silentLog, within } from '../internal/index.js';
import type { AdapterCheckResult } from './adapter.js';
import { createAdapterCalls } from './adapter-calls.js';
import { AdapterError } from './adapter-error.js';
import { createAdmitHandoff } from './admit-handoff.js';
import { createOnClosed, createSystemCloses } from './close-conversation.js';
import { createDeliverMessage } from './deliver-message.js';
import { createEchoes } from './echo.js';
import { createTellAndEnd } from './end-conversation.js';
import { createOnRequested } from './handle-requested.js';
import { createInboundEffects } from './inbound-effects.js';
import { createFindNext } from './join-messages.js';
import { createMakeText } from './messages.js';
import { createOpenings } from './open-conversation.js';
import { type BridgeOptions, readOptions } from './options.js';
import { createPace } from './pace.js';
import type { BridgeParts } from './parts.js';
import { createPollLoop } from './poll-loop.js';
import { createReceiveEvents } from './receive-events.js';
import { createAuthWatch, createRetryByKind } from './retry-by-kind.js';
import { createOnMessage } from './send-to-system.js';
import { type BridgeStats, createCounters } from './stats.js';
import { createStrays } from './strays.js';
import { createStreamLoop } from './stream-loop.js';
import { createTidyLoop } from './tidy-loop.js';
import { createWebhook, type WebhookHandler } from './webhook.js';

/** Carries handed-over conversations between a receiver and a human-service system. */
export interface Bridge {
  /**
   * Takes the system's webhooks: `app.post('/desk', bridge.webhook)`, or `http.createServer(bridge.webhook)`.
   * It needs the bytes as they came: mount it before body parsers.
   */
  readonly webhook: WebhookHandler;
  /** Looks whether the system is reachable and set up. Never rejects. */
  check(): Promise<readonly AdapterCheckResult[]>;
  /** What was counted since the start. */
  stats(): BridgeStats;
  /** Ends it: lets what runs finish, within a time, default 10 seconds. Close the receiver first. */
  close(options?: { readonly timeoutMs?: number }): Promise<void>;
}

/**
 * Makes a bridge between a receiver and an adapter. Make it before the receiver gets its first request.
 *
 * @example
 * const receiver = createReceiver({ auth, service, delivery: sqlite({ file: 'handoff.db' }) });
 * const bridge = createBridge({ receiver, adapter: ourDesk(settings) });
 * app.post('/desk', bridge.webhook);
 * app.use('/webhook', receiver);
 */
export function createBridge(options: BridgeOptions): Bridge {
  const settings = readOptions(options);
  const { adapter, receiver } = options;
  const log = logOf(options.log).child({ adapter: adapter.name });
  const calls = createAdapterCalls({ system: adapter.name, log, timeoutMs: settings.callTimeoutMs });
  const background = new AbortController();
  const parts: BridgeParts = {
    adapter,
    conversations: receiver.conversations,
    lifecycle: receiver.conversations.lifecycle,
    isStored: receiver.storage.queues !== null,
    settings,
    calls,
    retry: createRetryByKind(settings.retry, calls.signal),
    auth: createAuthWatch(log),
    text: createMakeText(settings.messages),
    counters: createCounters(),
    log,
    owner: randomUUID(),
    background: background.signal,
  };

  const strays = createStrays(parts);
  const openings = createOpenings(parts, strays);
  const echoes = createEchoes(parts);
  const systemCloses = createSystemCloses(parts);
  const tellAndEnd = createTellAndEnd(parts);
  const deliver = createDeliverMessage(parts, {
    echoes,
    pace: createPace(adapter.capabilities.rate),
    findNext: createFindNext(receiver.storage),
  });
  const events = createReceiveEvents(parts, openings, createInboundEffects(parts, echoes, systemCloses));
  const webhook = createWebhook(parts, events);

  receiver
    .admit(createAdmitHandoff(parts, openings))
    .on('handoff.requested', createOnRequested(parts, openings, tellAndEnd))
    .on('handoff.message', createOnMessage(parts, { openings, deliver, tellAndEnd }))
    .on('handoff.closed', createOnClosed(parts, systemCloses, strays));

  const { inbound } = adapter.capabilities;
  const loops = [
    createTidyLoop(parts, strays, systemCloses),
    ...(inbound.includes('poll') ? [createPollLoop(parts, events)] : []),
    ...(inbound.includes('stream') ? [createStreamLoop(parts, events)] : []),
  ];

  /** What is done in the background is left to other processes while the store can still be told so. */
  const leave = async (): Promise<void> => {
    background.abort();
    await Promise.all(loops.map(({ ended }) => ended));
  };
  receiver.onClosing(leave);

  const end = async (timeoutMs: number): Promise<void> => {
    const deadline = Date.now() + timeoutMs;
    const left = (): number => Math.max(0, deadline - Date.now());
    await within(webhook.inFlight.idle(), left());
    await calls.end(left());
    await within(Promise.all([events.idle(), leave()]), Math.max(1_000, left()));
    await adapter.dispose?.();
  };
  let closing: Promise<void> | undefined;

  return {
    webhook: webhook.handle,
    async check() {
      try {
        return await calls.run('check', (call) => adapter.check(call));
      } catch (error) {
        const detail = error instanceof AdapterError ? error.message : 'the check itself failed.';
        return [{ name: 'check', ok: false, detail }];
      }
    },
    stats: () => parts.counters.read(),
    close: ({ timeoutMs = 10_000 } = {}) => (closing ??= end(timeoutMs)),
  };
}

function logOf(log: Log | false | undefined): Log {
  return log === false ? silentLog : withRedaction(log ?? createLog());
}
