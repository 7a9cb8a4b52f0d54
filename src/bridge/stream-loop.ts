import type { EmitEvents } from './adapter.js';
import { AdapterError } from './adapter-error.js';
import type { BridgeParts } from './parts.js';
import type { Loop } from './poll-loop.js';
import type { ReceiveEvents } from './receive-events.js';
import { pause } from './retry-by-kind.js';

const LEASE_MS = 30_000;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

/** Listens to the system for as long as the bridge lasts. Of several processes one listens, unless each must. */
export function createStreamLoop(parts: BridgeParts, events: ReceiveEvents): Loop {
  const { adapter, lifecycle, background, auth, log, owner } = parts;
  const { store } = lifecycle;
  const name = `bridge stream ${adapter.name}`;
  const mayListen = async (): Promise<boolean> =>
    adapter.capabilities.streamsPerProcess === true || store.lease(name, owner, LEASE_MS);

  const emit: EmitEvents = async (event) => (await events.receive([event]))[0] ?? null;

  /** Listens until the connection ends, the lease is lost or the bridge ends. */
  const listen = async (): Promise<void> => {
    const controller = new AbortController();
    const stop = (): void => controller.abort();
    background.addEventListener('abort', stop, { once: true });
    const renewal = setInterval(() => {
      mayListen().then((kept) => kept || stop(), stop);
    }, LEASE_MS / 3).unref();
    try {
      await adapter.stream?.(emit, { signal: controller.signal, log });
    } finally {
      clearInterval(renewal);
      background.removeEventListener('abort', stop);
    }
  };

  const run = async (): Promise<void> => {
    let failures = 0;
    while (!background.aborted) {
      const began = Date.now();
      try {
        if (await mayListen()) await listen();
      } catch (error) {
        if (error instanceof AdapterError && error.kind === 'auth') auth.refused(error);
        else if (!background.aborted) log.warn({ err: error, failures }, 'the stream of the system broke');
      }
      failures = Date.now() - began > LONGEST_WAIT_MS ? 0 : failures + 1;
      await pause(Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(failures - 1, 10)), background);
    }
    await store.release(name, owner).catch(() => undefined);
  };

  return { ended: run() };
}
