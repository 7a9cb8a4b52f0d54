import type { Database } from './database.js';

/** Tells those who watch that entries were written. */
export interface ShelfWatch {
  add(changed: () => void): () => void;
  /** Something was written here. */
  changed(): void;
  stop(): void;
}

/** Makes a {@link ShelfWatch}. While somebody watches, it looks whether another process has written to the file. */
export function createShelfWatch(database: Database, head: () => number, pollMs: number): ShelfWatch {
  const watching = new Set<() => void>();
  const version = database.prepare('PRAGMA data_version');
  let lastVersion: unknown;
  let lastHead = 0;
  let timer: NodeJS.Timeout | undefined;

  const tell = (): void => {
    for (const changed of watching) changed();
  };

  /** The version is another one when somebody else wrote, which costs less to ask than what they wrote. */
  const look = (): void => {
    const now = version.get()?.data_version;
    if (now === lastVersion) return;
    lastVersion = now;
    const newHead = head();
    if (newHead === lastHead) return;
    lastHead = newHead;
    tell();
  };

  return {
    add(changed) {
      watching.add(changed);
      timer ??= setInterval(look, pollMs).unref();
      return () => {
        watching.delete(changed);
        if (watching.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
    changed() {
      lastHead = head();
      tell();
    },
    stop() {
      clearInterval(timer);
      watching.clear();
    },
  };
}
