import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AdapterCall, EmitEvents, InboundEvent } from '../../bridge/index.js';
import { createKeyedQueue, type Log, settlesWithin, silentLog } from '../../internal/index.js';

/**
 * Takes events from the SDK's handlers to the bridge.
 *
 *     webhook ─> inOrder ─> SDK ─> handler ─> deliver ─> emit: the event is safe ─> the webhook is answered
 *     gateway, socket, polling ──> handler ──────┘
 */
export interface EventDelivery {
  /** Resolves when the events are safe. Tries again until then; rejects when the adapter is disposed of meanwhile. */
  deliver(events: readonly InboundEvent[]): Promise<void>;
  /** The adapter's `stream`. */
  listen(emit: EmitEvents, call: AdapterCall): Promise<void>;
  /**
   * Handles a webhook. Events of earlier ones go first, even if the SDK looks up their author meanwhile. Rejects if an event
   * of this one is not safe: some adapters of the SDK swallow the error of a handler.
   */
  inOrder<Result>(handle: () => Promise<Result>): Promise<Result>;
  readonly log: Log;
  stop(): void;
}

/** A webhook that is being handled. */
interface Webhook {
  readonly earlier: Promise<unknown>;
  failure: Error | null;
}

/** The SDK's requests for names take less; longer ones must not hold up everything. */
const WAIT_FOR_EARLIER_MS = 2_000;
const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 15_000;

export function createDelivery(): EventDelivery {
  const conversations = createKeyedQueue();
  const currentWebhook = new AsyncLocalStorage<Webhook>();
  const stopping = new AbortController();
  let lastWebhook: Promise<unknown> = Promise.resolve();
  let emitter: EmitEvents | null = null;
  let log: Log = silentLog;

  const tryEmit = async (event: InboundEvent): Promise<boolean> => {
    if (!emitter) return false;
    try {
      await emitter(event);
      return true;
    } catch (error) {
      log.error(
        { err: error, eventId: event.id },
        'an event of the Chat SDK could not be stored; trying again',
      );
      return false;
    }
  };

  const deliverOne = async (event: InboundEvent): Promise<void> => {
    let wait = FIRST_RETRY_MS;
    while (!(await tryEmit(event))) {
      await sleep(wait, undefined, { signal: stopping.signal, ref: false });
      wait = Math.min(2 * wait, LONGEST_RETRY_MS);
    }
  };

  return {
    async deliver(events) {
      const webhook = currentWebhook.getStore();
      if (stopping.signal.aborted && events.length > 0) {
        // Handlers cannot be removed from a Chat, and one that throws keeps later ones from running.
        if (webhook) webhook.failure = new Error('the bridge is closed');
        else
          log.warn(
            {},
            'an event came after the adapter was disposed of; another adapter of the Chat must take it',
          );
        return;
      }
      if (webhook) await settlesWithin(webhook.earlier, WAIT_FOR_EARLIER_MS);
      try {
        // One at a time in each conversation: after a failure, later events do not overtake it.
        await Promise.all(
          events.map((event) => conversations.run(event.externalId, () => deliverOne(event))),
        );
      } catch (cause) {
        const failure = new Error('the bridge was closed before the event was safe', { cause });
        if (webhook) webhook.failure = failure;
        else
          log.error({ err: failure }, 'an event of the Chat SDK is lost, unless the platform sends it again');
        throw failure;
      }
    },
    async listen(emit, call) {
      emitter = emit;
      log = call.log;
      await new Promise<void>((resolve) => {
        if (call.signal.aborted) resolve();
        call.signal.addEventListener('abort', () => resolve(), { once: true });
      });
      emitter = null;
    },
    inOrder(handle) {
      const webhook: Webhook = { earlier: lastWebhook, failure: null };
      const handled = currentWebhook.run(webhook, handle).then((result) => {
        if (webhook.failure) throw webhook.failure;
        return result;
      });
      lastWebhook = Promise.allSettled([webhook.earlier, handled]);
      return handled;
    },
    get log() {
      return log;
    },
    stop: () => stopping.abort(),
  };
}
