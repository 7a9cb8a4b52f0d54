import type { QueueAdmin } from '../../delivery/index.js';
import type { Log } from '../../internal/index.js';
import type { DeskSignal, PlatformStatus, PresenceView } from '../api.js';
import type { Availability } from './assignment/availability.js';
import { DOCUMENT_KIND, type DocumentStore } from './store/index.js';

/** Knows which conversation each agent is viewing. Stored, so that agents at other processes see it. */
export interface Presence {
  set(agent: string, now: Omit<PresenceView, 'agent'>): Promise<void>;
  /** Who is there, by agent. */
  read(): Promise<readonly PresenceView[]>;
}

interface StoredPresence extends Omit<PresenceView, 'agent'> {
  readonly at: number;
}

/** Pages report every 25 seconds; an older entry belongs to a browser that is gone. */
const PRESENCE_MS = 60_000;
const MAX_AGENTS = 1_000;

/** Sends transient state to every connected page: platform status, presence, availability. */
export interface Signals {
  readonly presence: Presence;
  /** Calls back with the current signal, and with each later one. Returns a function that stops it. */
  subscribe(listener: (signal: DeskSignal) => void): () => void;
  stop(): void;
}

export interface SignalsParts {
  readonly store: DocumentStore;
  /** `null` with inline delivery, where no reply waits. */
  readonly queues: QueueAdmin | null;
  readonly isOutboxPaused: () => boolean;
  readonly availability: Availability;
  readonly log: Log;
}

/** How often outbox and presence are read, while anyone is connected. */
const POLL_MS = 3_000;
/** Presence changes at this process are sent together after this time. */
const GATHER_MS = 500;
/** The oldest replies tell whether the platform accepts any. */
const LOOKED_AT = 20;

export function createSignals({ store, queues, isOutboxPaused, availability, log }: SignalsParts): Signals {
  const listeners = new Set<(signal: DeskSignal) => void>();
  let signal: DeskSignal = { platform: { delayed: 0, isRefused: false }, presence: [], availability: [] };
  let sent = JSON.stringify(signal);
  let isReading = false;
  let gathering: NodeJS.Timeout | undefined;

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
      const platform = await platformStatus(queues, isOutboxPaused());
      publish({ platform, presence: await presence.read(), availability: await availability.read() });
    } catch (err) {
      log.warn({ err }, 'the desk could not read its outbox or who is there');
    } finally {
      isReading = false;
    }
  };
  const pollSoon = (): void => {
    gathering ??= setTimeout(() => {
      gathering = undefined;
      void poll();
    }, GATHER_MS).unref();
  };
  const presence = createPresence(store, pollSoon);
  availability.onChange(pollSoon);
  const timer = setInterval(() => void poll(), POLL_MS).unref();

  return {
    presence,
    subscribe(listener) {
      listeners.add(listener);
      listener(signal);
      void poll();
      return () => void listeners.delete(listener);
    },
    stop() {
      clearInterval(timer);
      clearTimeout(gathering);
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

/** `onChange` is called after each change here. */
function createPresence(store: DocumentStore, onChange: () => void): Presence {
  const kind = DOCUMENT_KIND.presence;
  return {
    async set(agent, { conversation, isTyping }) {
      const found = await store.get(kind, agent);
      const value: StoredPresence = { conversation, isTyping, at: Date.now() };
      // If another tab of the agent is faster, it wins.
      await store.write({ put: [{ kind, id: agent, value, version: found?.version ?? 0 }] });
      onChange();
    },
    async read() {
      const oldest = Date.now() - PRESENCE_MS;
      const documents = await store.list(kind, { limit: MAX_AGENTS });
      return documents
        .map(({ id, value }) => ({ agent: id, ...(value as StoredPresence) }))
        .filter(({ at, conversation }) => at > oldest && conversation !== null)
        .map(({ agent, conversation, isTyping }) => ({ agent, conversation, isTyping }))
        .sort((a, b) => (a.agent < b.agent ? -1 : 1));
    },
  };
}
