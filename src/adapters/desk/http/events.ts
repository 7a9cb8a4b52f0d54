import type { Request, Response } from 'express';
import type { JournalEntry } from '../api.js';
import type { Live } from '../live.js';

/** A sign of life this often keeps proxies from closing a quiet connection, and tells the page that it is not dead. */
const HEARTBEAT_MS = 15_000;
/** A browser that has fallen this far behind is let go; it comes back and asks for what it missed. */
const LARGEST_BACKLOG = 4 * 1024 * 1024;
/** Looks again whether the agent may still be here. */
const CHECK_EVERY_MS = 5_000;

/** What {@link streamEvents} needs. */
export interface StreamParts {
  readonly live: Live;
  /** Whether whoever listens may still do so. */
  readonly mayListen: () => Promise<boolean>;
}

/** Sends the journal as server-sent events, from where the browser was. Each event's id is its number. */
export function streamEvents(request: Request, response: Response, parts: StreamParts): void {
  const seen = Number(request.get('last-event-id') ?? request.query.after ?? 0);
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'x-accel-buffering': 'no',
  });
  const write = (text: string): void => {
    if (response.writableEnded || response.destroyed) return;
    response.write(text);
    if (response.writableLength > LARGEST_BACKLOG) response.destroy();
  };
  write('retry: 1000\n\n');
  const unfollow = parts.live.follow(
    Number.isSafeInteger(seen) && seen >= 0 ? seen : 0,
    (entries) => write(entries.map(format).join('')),
    () => response.end(),
  );
  const heartbeat = setInterval(() => write('event: beat\ndata: {}\n\n'), HEARTBEAT_MS);
  const check = setInterval(() => {
    parts.mayListen().then(
      (may) => {
        if (!may && !response.writableEnded) response.end('event: gone\ndata: {}\n\n');
      },
      () => undefined,
    );
  }, CHECK_EVERY_MS);
  response.on('close', () => {
    clearInterval(heartbeat);
    clearInterval(check);
    unfollow();
  });
}

const format = (entry: JournalEntry): string => `id: ${entry.seq}\ndata: ${JSON.stringify(entry)}\n\n`;
