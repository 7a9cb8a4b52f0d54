import type { Adapter, AdapterCall, InboundEvent, InboundRequest } from '../../bridge/index.js';
import { fail, type WaitFor } from './failures.js';
import type { WebhookSink } from './webhook-sink.js';

/** An event that an adapter reported, and the webhook it came from; `null` for polling and streams. */
interface RecordedEvent {
  readonly event: InboundEvent;
  readonly request: InboundRequest | null;
}

export interface EventRecorder {
  /** All events so far. */
  readonly recorded: readonly RecordedEvent[];
  /** Waits for the first event that matches. */
  waitFor(what: string, matches: (recorded: RecordedEvent) => boolean): Promise<RecordedEvent>;
  stop(): Promise<void>;
}

/** Starts recording by webhook, polling and stream, whichever the adapter supports. */
export async function createEventRecorder(parts: {
  adapter: Adapter;
  webhookSink: WebhookSink;
  call: AdapterCall;
  waitFor: WaitFor;
}): Promise<EventRecorder> {
  const { adapter, webhookSink, waitFor } = parts;
  const stopped = new AbortController();
  const call = { ...parts.call, signal: stopped.signal };
  const recorded: RecordedEvent[] = [];
  let read = 0;
  let cursor: string | null = null;

  const streaming = adapter.stream?.(async (event) => {
    recorded.push({ event, request: null });
    return null;
  }, call);

  const readWebhooks = () => {
    if (!adapter.verify || !adapter.parse) return;
    for (const request of webhookSink.requests.slice(read)) {
      read += 1;
      const verdict = adapter.verify(request);
      if (verdict !== 'genuine') fail(`verify returned "${verdict}" for a request that the helpdesk sent.`);
      for (const event of adapter.parse(request).events) recorded.push({ event, request });
    }
  };

  const poll = async () => {
    if (!adapter.poll) return;
    const polled = await adapter.poll(cursor, call);
    cursor = polled.cursor;
    for (const event of polled.events) recorded.push({ event, request: null });
  };

  await poll();
  return {
    recorded,
    waitFor: (what, matches) =>
      waitFor(what, async () => {
        readWebhooks();
        await poll();
        return recorded.find(matches);
      }),
    async stop() {
      stopped.abort();
      // An aborted stream may reject.
      await streaming?.catch(() => {});
    },
  };
}
