import type { QueueAdmin } from '../../delivery/index.js';
import type { Log } from '../../internal/index.js';
import type { DeskSignal, PlatformStatus } from './api.js';

/** Sends what is shown now and not kept to everyone who is connected. */
export interface Signals {
  /** Calls back with the current signal, and with each later one. Returns a function that stops it. */
  subscribe(listener: (signal: DeskSignal) => void): () => void;
  stop(): void;
}

/** The parts of {@link createSignals}. */
export interface SignalsParts {
  /** `null` with inline delivery, where no reply waits. */
  readonly queues: QueueAdmin | null;
  readonly isOutboxPaused: () => boolean;
  readonly log: Log;
}

/** How often the outbox is looked at, while anyone is connected. */
const POLL_MS = 3_000;
/** The oldest replies tell whether the platform takes any. */
const LOOKED_AT = 20;

/** Creates {@link Signals}. */
export function createSignals({ queues, isOutboxPaused, log }: SignalsParts): Signals {
  const listeners = new Set<(signal: DeskSignal) => void>();
  let signal: DeskSignal = { platform: { delayed: 0, isRefused: false } };
  let sent = JSON.stringify(signal);
  let isReading = false;

  const publish = (next: DeskSignal): void => {
    signal = next;
    const text = JSON.stringify(next);
    if (text === sent) return;
    sent = text;
    for (const listener of listeners) listener(next);
  };

  const poll = async (): Promise<void> => {
    if (isReading || listeners.size === 0) return;
    isReading = true;
    try {
      publish({ platform: await platformStatus(queues, isOutboxPaused()) });
    } catch (err) {
      log.warn({ err }, 'the desk could not look at the outbox');
    } finally {
      isReading = false;
    }
  };
  const timer = setInterval(() => void poll(), POLL_MS).unref();

  return {
    subscribe(listener) {
      listeners.add(listener);
      listener(signal);
      void poll();
      return () => void listeners.delete(listener);
    },
    stop() {
      clearInterval(timer);
      listeners.clear();
    },
  };
}

async function platformStatus(queues: QueueAdmin | null, isPaused: boolean): Promise<PlatformStatus> {
  if (!queues) return { delayed: 0, isRefused: false };
  const oldest = await queues.list('outbox', { state: 'waiting', limit: LOOKED_AT });
  const isDelayed = oldest.some(({ attempts, error }) => attempts > 0 && error !== null);
  const delayed = isDelayed ? (await queues.depth('outbox')).waiting : 0;
  return { delayed, isRefused: isPaused && delayed > 0 };
}
