import type { ConversationUpdate, DeskSignal } from '../../../api.js';

/** The state of the live connection. */
export type Connection = 'connecting' | 'live' | 'lost';

export interface LiveHandlers {
  /** Called once for each update, in order. */
  readonly onUpdate: (update: ConversationUpdate) => void;
  /** Called when the platform's state, presence or availability has changed. */
  readonly onSignal: (signal: DeskSignal) => void;
  readonly onConnection: (connection: Connection) => void;
  /** The session has ended. */
  readonly onLoggedOut: () => void;
}

/** Delays before reconnecting; the last one repeats. */
const RECONNECT_DELAYS_MS = [500, 1_000, 2_000, 5_000, 10_000];

/** The desk sends a heartbeat every 15 s. After this time without one, the connection is dead. */
const HEARTBEAT_TIMEOUT_MS = 40_000;

/**
 * Follows the updates after `seq`, and reconnects after the last one received: `EventSource` itself gives up when
 * the server answers an error. Returns a function that stops it.
 */
export function followUpdates(
  seq: number,
  { onUpdate, onSignal, onConnection, onLoggedOut }: LiveHandlers,
): () => void {
  let lastSeq = seq;
  let failures = 0;
  let source: EventSource | null = null;
  let reconnectTimer: ReturnType<typeof setTimeout> | undefined;
  let heartbeatTimer: ReturnType<typeof setTimeout> | undefined;

  const reconnect = (): void => {
    onConnection('lost');
    clearTimeout(heartbeatTimer);
    source?.close();
    clearTimeout(reconnectTimer);
    const delay = RECONNECT_DELAYS_MS[Math.min(failures, RECONNECT_DELAYS_MS.length - 1)];
    failures += 1;
    reconnectTimer = setTimeout(connect, delay);
  };

  const onHeartbeat = (): void => {
    clearTimeout(heartbeatTimer);
    heartbeatTimer = setTimeout(reconnect, HEARTBEAT_TIMEOUT_MS);
  };

  const connect = (): void => {
    clearTimeout(reconnectTimer);
    source?.close();
    source = new EventSource(`api/events?after=${lastSeq}`);
    source.addEventListener('open', () => {
      failures = 0;
      onHeartbeat();
      onConnection('live');
    });
    source.addEventListener('beat', onHeartbeat);
    source.addEventListener('message', ({ data }: MessageEvent<string>) => {
      onHeartbeat();
      const update = JSON.parse(data) as ConversationUpdate;
      if (update.seq <= lastSeq) return;
      lastSeq = update.seq;
      onUpdate(update);
    });
    source.addEventListener('signal', ({ data }: MessageEvent<string>) => {
      onHeartbeat();
      onSignal(JSON.parse(data) as DeskSignal);
    });
    source.addEventListener('gone', () => {
      stop();
      onLoggedOut();
    });
    source.addEventListener('error', reconnect);
  };

  const stop = (): void => {
    clearTimeout(reconnectTimer);
    clearTimeout(heartbeatTimer);
    source?.close();
    removeEventListener('online', connect);
    removeEventListener('offline', reconnect);
  };

  onConnection('connecting');
  addEventListener('online', connect);
  addEventListener('offline', reconnect);
  connect();
  return stop;
}

/** Collects items and applies them together, at most once per interval; the first after a pause at once. */
export function batch<Item>(everyMs: number, apply: (items: readonly Item[]) => void): (item: Item) => void {
  let collected: Item[] = [];
  let isScheduled = false;
  let appliedAt = 0;
  const flush = (): void => {
    const items = collected;
    collected = [];
    isScheduled = false;
    appliedAt = performance.now();
    apply(items);
  };
  return (item) => {
    collected.push(item);
    if (isScheduled) return;
    const waitMs = appliedAt + everyMs - performance.now();
    if (appliedAt === 0 || waitMs <= 0) return flush();
    isScheduled = true;
    setTimeout(flush, waitMs);
  };
}
