import type { Writer } from './writer.js';

/** What {@link createSweeper} needs. */
export interface SweeperParts {
  readonly writer: Writer;
  /** How long what was done is remembered. */
  readonly rememberMs: number;
  readonly onTrouble: (error: unknown) => void;
}

const AT_MOST_EVERY_MS = 10_000;

/** Where there is more than can be forgotten in one go, those who write have their turn in between. */
const BETWEEN_MS = 10;

/** Forgotten in one go; more would hold up those who write. */
const AT_ONCE = 1_000;

/** Forgets what was done long ago, a little at a time. */
export function createSweeper({ writer, rememberMs, onTrouble }: SweeperParts): { stop(): void } {
  const everyMs = Math.min(AT_MOST_EVERY_MS, rememberMs);
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  const sweep = async (): Promise<void> => {
    const before = Date.now() - rememberMs;
    let more = false;
    try {
      const counts = await writer.write('prune', before, AT_ONCE, Date.now());
      more = counts.includes(AT_ONCE);
    } catch (error) {
      onTrouble(error);
    }
    if (!stopped) timer = setTimeout(() => void sweep(), more ? BETWEEN_MS : everyMs).unref();
  };
  void sweep();

  return {
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
