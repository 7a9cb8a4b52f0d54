/** The lanes that a worker works on or has asked for. */
export interface HeldLanes {
  enter(lane: string): void;
  /** Leaves a lane as often as it was entered. */
  leave(lane: string): void;
  has(lane: string): boolean;
  /** How many they are. */
  readonly size: number;
  all(): string[];
}

/**
 * Makes {@link HeldLanes}. A lane may be entered twice: by an event that asks for it, and by what was found in it
 * before the database came to that.
 */
export function createHeldLanes(): HeldLanes {
  const times = new Map<string, number>();
  return {
    enter: (lane) => void times.set(lane, (times.get(lane) ?? 0) + 1),
    leave(lane) {
      const left = (times.get(lane) ?? 0) - 1;
      if (left > 0) times.set(lane, left);
      else times.delete(lane);
    },
    has: (lane) => times.has(lane),
    get size() {
      return times.size;
    },
    all: () => [...times.keys()],
  };
}
