import { AdapterError } from '../adapter/adapter-error.js';
import type { EmitEvents } from '../adapter/adapter-types.js';
import type { BackgroundLoop, BridgeContext } from '../bridge-context.js';
import { pause } from '../calls/adapter-calls.js';
import type { EventReceiver } from './receive-events.js';

const POLL_EVERY_MS = 5_000;
const MAX_BACKOFF_MS = 60_000;
const MIN_POLL_LEASE_MS = 30_000;

/**
 * Starts the loop that polls the helpdesk. One process holds the lease and polls. Events are stored before the cursor
 * moves, so a crash in between repeats events and loses none.
 */
export function createPollLoop(bridge: BridgeContext, events: EventReceiver): BackgroundLoop {
  const { adapter, lifecycle, calls, stopSignal, auth, log, instanceId, settings } = bridge;
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
    await events.receive(result.events);
    if (result.cursor !== cursor) await store.moveCursor(name, cursor, result.cursor);
  };

  const logFailure = (error: unknown, failures: number): void => {
    if (error instanceof AdapterError && error.kind === 'auth') auth.refused(error);
    else log.warn({ err: error, failures }, 'poll failed');
  };

  const backoff = (failures: number): number =>
    Math.min(Math.max(MAX_BACKOFF_MS, everyMs), everyMs * 2 ** Math.min(failures, 10));

  const run = async (): Promise<void> => {
    let failures = 0;
    while (!stopSignal.aborted) {
      try {
        await pollOnce();
        failures = 0;
      } catch (error) {
        failures += 1;
        if (!stopSignal.aborted) logFailure(error, failures);
      }
      await pause(backoff(failures), stopSignal);
    }
    await store.release(name, instanceId).catch(() => undefined);
  };

  return { stopped: run() };
}

const STREAM_LEASE_MS = 30_000;
const FIRST_RECONNECT_MS = 1_000;

/** Starts the loop that keeps a stream open. One process holds the lease, unless the adapter streams per process. */
export function createStreamLoop(bridge: BridgeContext, events: EventReceiver): BackgroundLoop {
  const { adapter, lifecycle, stopSignal, auth, log, instanceId } = bridge;
  const { store } = lifecycle;
  const name = `bridge stream ${adapter.name}`;
  const mayListen = async (): Promise<boolean> =>
    adapter.capabilities.streamsPerProcess === true || store.lease(name, instanceId, STREAM_LEASE_MS);

  const emit: EmitEvents = async (event) => (await events.receive([event]))[0] ?? null;

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

  const run = async (): Promise<void> => {
    let failures = 0;
    while (!stopSignal.aborted) {
      const startedAt = Date.now();
      try {
        if (await mayListen()) await listen();
      } catch (error) {
        if (error instanceof AdapterError && error.kind === 'auth') auth.refused(error);
        else if (!stopSignal.aborted) log.warn({ err: error, failures }, 'stream broken; reconnecting');
      }
      // A stream that lasted a minute was healthy: backoff starts over.
      failures = Date.now() - startedAt > MAX_BACKOFF_MS ? 0 : failures + 1;
      await pause(Math.min(MAX_BACKOFF_MS, FIRST_RECONNECT_MS * 2 ** Math.min(failures - 1, 10)), stopSignal);
    }
    await store.release(name, instanceId).catch(() => undefined);
  };

  return { stopped: run() };
}
