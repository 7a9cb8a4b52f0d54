import { duration } from '../internal/index.js';
import { HEALTH_INTERVAL_MS } from '../protocol/index.js';
import { type Clock, slept } from './clock.js';

import type { ServiceHealth } from './health.js';
import type { CallOptions } from './options.js';

/** What a watch of the service's health is to do. */
export interface WatchOptions extends CallOptions {
  /** Told of the first state, and then whenever the service becomes available or unavailable. */
  readonly onChange: (health: ServiceHealth, previous: ServiceHealth | null) => void | Promise<void>;
  /** Told of what `onChange` throws; the watch goes on. Without it Node prints a warning. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** From the start of one probe to the start of the next. By default 20 s: three a minute, as recommended. */
  readonly intervalMs?: number | undefined;
}

/** A watch that is running. */
export interface HealthWatch {
  /** What the last probe saw, or `null` before the first is done. */
  readonly current: ServiceHealth | null;
  /** Ends the watch: no probe and no call of `onChange` begins after this. */
  stop(): void;
}

type Probe = (options: CallOptions) => Promise<ServiceHealth>;

const warn = (error: unknown): void => {
  const name = error instanceof Error ? error.name : typeof error;
  process.emitWarning(`onChange of a health watch failed (${name}). Give the watch an onError to see more.`);
};

/** Probes in turns, one after the other and never two at once, until it is stopped. */
export function watchHealth(probe: Probe, clock: Clock, options: WatchOptions): HealthWatch {
  const intervalMs = duration('intervalMs', options.intervalMs ?? HEALTH_INTERVAL_MS);
  if (options.timeoutMs !== undefined) duration('timeoutMs', options.timeoutMs);
  const controller = new AbortController();
  const { signal } = controller;
  let current: ServiceHealth | null = null;

  const stop = (): void => {
    options.signal?.removeEventListener('abort', stop);
    controller.abort();
  };
  const report = (error: unknown): void => {
    try {
      (options.onError ?? warn)(error);
    } catch (failure) {
      warn(failure);
    }
  };
  const tell = async (health: ServiceHealth, previous: ServiceHealth | null): Promise<void> => {
    try {
      await options.onChange(health, previous);
    } catch (error) {
      report(error);
    }
  };
  const look = async (): Promise<void> => {
    const health = await probe({ signal, timeoutMs: options.timeoutMs });
    if (signal.aborted) return;
    const previous = current;
    current = health;
    // Not waited for: a slow handler must not hold up the next probe.
    if (previous?.available !== health.available) void tell(health, previous);
  };
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      const started = clock.now();
      await look();
      const rest = Math.max(0, intervalMs - (clock.now() - started));
      if (!(await slept(clock, rest, signal, { background: true }))) return;
    }
  };

  options.signal?.addEventListener('abort', stop, { once: true });
  if (options.signal?.aborted) stop();
  run().catch((error: unknown) => {
    // A probe that is cut off by stop() has nothing to tell.
    if (!signal.aborted) report(error);
  });
  return {
    get current() {
      return current;
    },
    stop,
  };
}
