import type { ServerResponse } from 'node:http';

/** How many events are kept for browsers that reconnect. */
const MAX_KEPT_EVENTS = 1_000;
/** A comment at this interval keeps proxies from closing idle connections. */
const HEARTBEAT_MS = 15_000;
/** Bytes of backlog after which a slow browser is disconnected; it reconnects and resumes. */
const MAX_BACKLOG_BYTES = 4 * 1024 * 1024;

/** Server-sent events with resumption. */
interface LiveEvents {
  /** Sends an event to every connected browser. */
  publish: (type: string, data: unknown) => void;
  /**
   * Starts a stream. A browser that sends `Last-Event-ID` gets the events it missed. Without that header, or
   * after a long absence, it gets `snapshot` as an event named `state`.
   */
  stream: (response: ServerResponse, lastEventId: string | undefined, snapshot: () => unknown) => void;
  close: () => void;
}

export function createLiveEvents(): LiveEvents {
  // A browser may outlive the simulator: the run id marks event ids of an earlier run as unknown.
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
    for (const client of clients) write(client, ': heartbeat\n\n');
  }, HEARTBEAT_MS).unref();

  return {
    publish(type, data) {
      lastId += 1;
      kept.push({ id: lastId, type, data });
      if (kept.length > MAX_KEPT_EVENTS) kept.shift();
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
  if (response.writableLength > MAX_BACKLOG_BYTES) response.destroy();
}
