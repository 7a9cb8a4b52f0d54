import type { Adapter, AdapterCall, InboundEvent, InboundRequest } from '../../bridge/index.js';
import { found } from './failure.js';
import type { Mailbox } from './mailbox.js';
import type { Until } from './until.js';

/** Something that an adapter told of, and the request that it read it from; `null` when none was. */
export interface Heard {
  readonly event: InboundEvent;
  readonly request: InboundRequest | null;
}

/** Hears what an adapter makes of what its system tells. */
export interface Ear {
  /** The first event that fits. */
  until(what: string, fits: (heard: Heard) => boolean): Promise<Heard>;
  stop(): Promise<void>;
}

/** Listens in every way that the adapter has, to what happens from now on. */
export async function createEar(parts: {
  adapter: Adapter;
  mailbox: Mailbox;
  call: AdapterCall;
  until: Until;
}): Promise<Ear> {
  const { adapter, mailbox, until } = parts;
  const over = new AbortController();
  const call = { ...parts.call, signal: over.signal };
  const heard: Heard[] = [];
  let read = 0;
  let cursor: string | null = null;

  const streaming = adapter.stream?.(async (event) => {
    heard.push({ event, request: null });
    return null;
  }, call);

  const readMail = () => {
    if (!adapter.verify || !adapter.parse) return;
    for (const request of mailbox.requests.slice(read)) {
      read += 1;
      const verdict = adapter.verify(request);
      if (verdict !== 'genuine') found(`verify says "${verdict}" of a request that the system sent itself.`);
      for (const event of adapter.parse(request).events) heard.push({ event, request });
    }
  };

  const poll = async () => {
    if (!adapter.poll) return;
    const polled = await adapter.poll(cursor, call);
    cursor = polled.cursor;
    for (const event of polled.events) heard.push({ event, request: null });
  };

  await poll();
  return {
    until: (what, fits) =>
      until(what, async () => {
        readMail();
        await poll();
        return heard.find(fits);
      }),
    async stop() {
      over.abort();
      // How a stream ends once nobody listens is no finding.
      await streaming?.catch(() => {});
    },
  };
}
