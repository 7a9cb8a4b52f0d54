import type { GroupCommit } from './group-commit.js';

/** Something that grows, and must not grow for ever. */
export interface Prunable {
  /** Forgets up to `limit` things that were over before a time; tells how many. */
  prune(before: number, limit: number): number;
}

/** What {@link createSweeper} needs. */
export interface SweeperParts {
  readonly commit: GroupCommit;
  readonly kept: readonly Prunable[];
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
export function createSweeper({ commit, kept, rememberMs, onTrouble }: SweeperParts): { stop(): void } {
  const everyMs = Math.min(AT_MOST_EVERY_MS, rememberMs);
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  const sweep = async (): Promise<void> => {
    const before = Date.now() - rememberMs;
    let more = false;
    try {
      const counts = await commit.write(() => kept.map((each) => each.prune(before, AT_ONCE)));
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
