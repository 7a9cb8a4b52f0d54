import type { Request, Response } from 'express';
import type { ConversationUpdate } from '../../api.js';
import { DeskError } from '../errors.js';
import type { LiveUpdates } from '../live-updates.js';
import type { Signals } from '../signals.js';

/** Keeps proxies from closing an idle connection, and shows the page that the connection is alive. */
const HEARTBEAT_MS = 15_000;
/** A browser that is this far behind is disconnected; it reconnects and asks for what it missed. */
const MAX_BACKLOG_BYTES = 4 * 1024 * 1024;
/** How often the session is checked again. */
const SESSION_CHECK_MS = 5_000;

/** Concurrent streams of a session. A browser needs one, or one per tab where tabs cannot share it. */
const MAX_STREAMS = 20;

/** The open streams of each session. */
export type OpenStreams = Map<string, number>;

export interface StreamParts {
  readonly updates: LiveUpdates;
  readonly signals: Signals;
  readonly hasSession: () => Promise<boolean>;
  readonly sessionId: string;
  /** Counts the agent as connected until the returned function is called. */
  readonly connect: () => () => void;
  readonly open: OpenStreams;
}

/** Sends updates as server-sent events, after the last one the browser has. The id of an event is its number. */
export function streamUpdates(request: Request, response: Response, parts: StreamParts): void {
  // The browser went away while its session was looked up: `close` does not come any more.
  if (response.destroyed) return;
  const { sessionId, open } = parts;
  const count = (open.get(sessionId) ?? 0) + 1;
  if (count > MAX_STREAMS) throw new DeskError('TOO_MANY_STREAMS');
  open.set(sessionId, count);
  const seen = Number(request.get('last-event-id') ?? request.query.after ?? 0);
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'x-accel-buffering': 'no',
  });
  const write = (text: string): void => {
    if (response.writableEnded || response.destroyed) return;
    response.write(text);
    if (response.writableLength > MAX_BACKLOG_BYTES) response.destroy();
  };
  write('retry: 1000\n\n');
  const unsubscribe = parts.updates.subscribe(
    Number.isSafeInteger(seen) && seen >= 0 ? seen : 0,
    (updates) => write(updates.map(format).join('')),
    () => response.end(),
  );
  const unsubscribeSignals = parts.signals.subscribe((signal) =>
    write(`event: signal\ndata: ${JSON.stringify(signal)}\n\n`),
  );
  const disconnect = parts.connect();
  const heartbeat = setInterval(() => write('event: beat\ndata: {}\n\n'), HEARTBEAT_MS);
  const sessionCheck = setInterval(() => {
    parts.hasSession().then(
      (isValid) => {
        if (!isValid && !response.writableEnded) response.end('event: gone\ndata: {}\n\n');
      },
      // The store cannot be read; the next check decides.
      () => undefined,
    );
  }, SESSION_CHECK_MS);
  response.on('close', () => {
    clearInterval(heartbeat);
    clearInterval(sessionCheck);
    unsubscribe();
    unsubscribeSignals();
    disconnect();
    const left = (open.get(sessionId) ?? 1) - 1;
    if (left > 0) open.set(sessionId, left);
    else open.delete(sessionId);
  });
}

const format = (update: ConversationUpdate): string =>
  `id: ${update.seq}\ndata: ${JSON.stringify(update)}\n\n`;
