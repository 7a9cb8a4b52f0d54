import type { ServerResponse } from 'node:http';

/** Events kept for browsers that come back. */
const EVENTS_KEPT = 1_000;
/** A comment this often keeps proxies from closing a quiet connection. */
const HEARTBEAT_MS = 15_000;
/** A browser that has fallen this far behind is let go; it comes back and asks for what it missed. */
const LARGEST_BACKLOG = 4 * 1024 * 1024;

/** Server-sent events with resumption. */
export interface LiveEvents {
  /** Sends an event to all who listen. */
  publish: (type: string, data: unknown) => void;
  /**
   * Starts a stream. A browser that says which event it saw last gets what it missed; one that says nothing,
   * or was away too long, gets `snapshot` as an event named `state`.
   */
  stream: (response: ServerResponse, lastEventId: string | undefined, snapshot: () => unknown) => void;
  close: () => void;
}

/** Makes a stream that nobody listens to yet. */
export function createLiveEvents(): LiveEvents {
  // Ids of an earlier run mean nothing in this one, and a browser may outlive the simulator.
  const run = Date.now().toString(36);
  const clients = new Set<ServerResponse>();
  const kept: { id: number; type: string; data: unknown }[] = [];
  let lastId = 0;

  const format = (id: number, type: string, data: unknown) =>
    `id: ${run}-${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`;

  const missedSince = (lastEventId: string | undefined): string[] | null => {
    const [, sameRun, digits] = /^([a-z0-9]+)-(\d+)$/.exec(lastEventId ?? '') ?? [];
    const seen = Number(digits);
    const oldest = kept[0]?.id ?? lastId + 1;
    if (sameRun !== run || seen > lastId || seen < oldest - 1) return null;
    return kept.filter(({ id }) => id > seen).map(({ id, type, data }) => format(id, type, data));
  };

  const heartbeat = setInterval(() => {
    for (const client of clients) write(client, ': still here\n\n');
  }, HEARTBEAT_MS).unref();

  return {
    publish(type, data) {
      lastId += 1;
      kept.push({ id: lastId, type, data });
      if (kept.length > EVENTS_KEPT) kept.shift();
      if (clients.size === 0) return;
      const text = format(lastId, type, data);
      for (const client of clients) write(client, text);
    },
    stream(response, lastEventId, snapshot) {
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
      const missed = missedSince(lastEventId) ?? [format(lastId, 'state', snapshot())];
      write(response, `retry: 1000\n\n${missed.join('')}`);
      clients.add(response);
      response.on('close', () => clients.delete(response));
    },
    close() {
      clearInterval(heartbeat);
      for (const client of clients) client.end();
    },
  };
}

function write(response: ServerResponse, text: string): void {
  response.write(text);
  if (response.writableLength > LARGEST_BACKLOG) response.destroy();
}
