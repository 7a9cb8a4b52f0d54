import type { Conversation } from '../../handoff/index.js';
import { AdapterError, type EmitEvents } from '../adapter/adapter-types.js';
import { type BridgeContext, repeatInBackground } from '../bridge-context.js';
import { pause } from '../calls/adapter-calls.js';
import type { EventOrder } from './order-events.js';
import { readEvents } from './read-events.js';
import type { EventReceiver } from './receive-events.js';

const POLL_EVERY_MS = 5_000;
const MAX_BACKOFF_MS = 60_000;
const MIN_POLL_LEASE_MS = 30_000;

/**
 * Polls the helpdesk until the bridge stops. One process holds the lease and polls. Events are stored before the cursor
 * moves, so a crash in between repeats events and loses none.
 */
export function runPollLoop(bridge: BridgeContext, events: EventReceiver): Promise<void> {
  const { adapter, lifecycle, calls, auth, instanceId, settings } = bridge;
  const { store } = lifecycle;
  const everyMs = adapter.capabilities.pollEveryMs ?? POLL_EVERY_MS;
  const name = `bridge poll ${adapter.name}`;
  const leaseMs = Math.max(MIN_POLL_LEASE_MS, everyMs * 3, settings.callTimeoutMs + everyMs);

  const pollOnce = async (): Promise<void> => {
    if (!(await store.lease(name, instanceId, leaseMs))) return;
    const cursor = await store.cursor(name);
    const result = await calls.run('poll', (call) => {
      if (!adapter.poll) throw new AdapterError('invalid', `${adapter.name} has no poll.`);
      return adapter.poll(cursor, call);
    });
    auth.accepted();
    await events.receive(readEvents(bridge, result.events));
    if (result.cursor !== cursor) await store.moveCursor(name, cursor, result.cursor);
  };

  return repeatInBackground(bridge, {
    lease: name,
    failure: 'poll failed',
    run: pollOnce,
    waitMs: (failures) => Math.min(Math.max(MAX_BACKOFF_MS, everyMs), everyMs * 2 ** Math.min(failures, 10)),
  });
}

const STREAM_LEASE_MS = 30_000;
const FIRST_RECONNECT_MS = 1_000;

/** Keeps a stream open until the bridge stops. One process holds the lease, unless the adapter streams per process. */
export function runStreamLoop(bridge: BridgeContext, events: EventReceiver): Promise<void> {
  const { adapter, lifecycle, stopSignal, log, instanceId } = bridge;
  const { store } = lifecycle;
  const name = `bridge stream ${adapter.name}`;
  const mayListen = async (): Promise<boolean> =>
    adapter.capabilities.streamsPerProcess === true || store.lease(name, instanceId, STREAM_LEASE_MS);

  const emit: EmitEvents = async (event) => (await events.receive(readEvents(bridge, [event])))[0] ?? null;

  /** Listens until the connection ends, the lease is lost or the bridge closes. */
  const listen = async (): Promise<void> => {
    const controller = new AbortController();
    const stop = (): void => controller.abort();
    stopSignal.addEventListener('abort', stop, { once: true });
    const heartbeat = setInterval(() => {
      mayListen().then((isHeld) => isHeld || stop(), stop);
    }, STREAM_LEASE_MS / 3).unref();
    try {
      await adapter.stream?.(emit, { signal: controller.signal, log });
    } finally {
      clearInterval(heartbeat);
      stopSignal.removeEventListener('abort', stop);
    }
  };

  let attempts = 0;
  return repeatInBackground(bridge, {
    lease: name,
    failure: 'stream broken; reconnecting',
    async run() {
      const startedAt = Date.now();
      try {
        if (await mayListen()) await listen();
      } finally {
        // A stream that lasted a minute was healthy: backoff starts over.
        attempts = Date.now() - startedAt > MAX_BACKOFF_MS ? 0 : attempts + 1;
      }
    },
    waitMs: () => Math.min(MAX_BACKOFF_MS, FIRST_RECONNECT_MS * 2 ** Math.min(attempts - 1, 10)),
  });
}

/** Processes that start together catch up one after another. What a killed one leaves behind waits this long. */
const LEASE_MS = 10_000;
/** The most conversations, those that changed last first. */
const MAX_CONVERSATIONS = 1_000;
/** At most ten conversations a second: agents and users have priority over what has waited anyway. */
const PAUSE_MS = 100;
/** Rejected closes, and conversations that could not be listed, are tried again after `retry.firstWaitMs` times this. */
const RETRY_WAITS = 50;
/** A conversation that still cannot be listed is left to its next event. */
const MAX_TRIES = 10;

/**
 * Asks `catchUp` for what the bridge has missed: at the start, what agents did in open conversations while no process
 * was running, and then what happened before closes that were rejected.
 */
export function runCatchUpLoop(
  bridge: BridgeContext,
  events: EventReceiver,
  order: EventOrder,
): Promise<void> {
  const { adapter, lifecycle, settings, stopSignal, auth, log, instanceId } = bridge;
  const { store } = lifecycle;
  const lease = `bridge catch up ${adapter.name}`;

  /** `null` while another process holds the lease. */
  const listOpen = async (): Promise<readonly Conversation[] | null> => {
    if (!(await store.lease(lease, instanceId, LEASE_MS))) return null;
    return store.list({
      states: ['waiting', 'connected'],
      adapter: adapter.name,
      limit: MAX_CONVERSATIONS,
    });
  };

  /** Whether it must be tried again. */
  const isBehind = async (task: () => Promise<unknown>, details: object): Promise<boolean> => {
    try {
      await task();
      return false;
    } catch (error) {
      if (stopSignal.aborted) return false;
      if (error instanceof AdapterError && error.kind === 'auth') auth.refused(error);
      else log.warn({ ...details, err: error }, 'what agents did in a conversation could not be listed');
      return !(error instanceof AdapterError && (error.kind === 'gone' || error.kind === 'invalid'));
    }
  };

  const catchUpWith = async (conversations: readonly Conversation[]): Promise<readonly Conversation[]> => {
    const behind: Conversation[] = [];
    for (const conversation of conversations) {
      if (stopSignal.aborted) return [];
      const details = { conversationId: conversation.id };
      if (await isBehind(() => events.catchUp(conversation), details)) behind.push(conversation);
      await pause(PAUSE_MS, stopSignal);
    }
    return behind;
  };

  const passRejected = async (): Promise<void> => {
    for (const rejected of order.rejected())
      await isBehind(() => events.receive(rejected), { externalId: rejected[0]?.externalId });
  };

  /** `null` until this process had the lease. */
  let behind: readonly Conversation[] | null = null;
  let tries = 0;
  const run = async (): Promise<void> => {
    behind ??= await listOpen();
    if (behind && behind.length > 0) {
      tries += 1;
      const left = await catchUpWith(behind);
      behind = tries < MAX_TRIES ? left : [];
    }
    await passRejected();
  };

  const everyMs = settings.retry.firstWaitMs * RETRY_WAITS;
  return repeatInBackground(bridge, { lease, failure: 'catching up failed', run, waitMs: () => everyMs });
}
