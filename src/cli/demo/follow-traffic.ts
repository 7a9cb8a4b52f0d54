import type { RecordedExchange, TrafficLog } from '../../simulator/index.js';

/** A hearer of complete exchanges. */
export interface Follower {
  /** Resolves when no request waits for its answer. */
  settled(): Promise<void>;
}

/** Whether an exchange has its answer, or will never have one. */
const isComplete = ({ answer, error }: RecordedExchange): boolean => answer !== null || error !== null;

/**
 * Tells of each exchange once it is complete, in the order in which they began: a reply that is sent while a
 * message is being handled comes after that message.
 */
export function followTraffic(traffic: TrafficLog, tell: (exchange: RecordedExchange) => void): Follower {
  const waiting = new Map<number, RecordedExchange>();
  const hearers = new Set<() => void>();
  let lastTold = 0;

  const tellComplete = (): void => {
    for (const [id, exchange] of waiting) {
      if (!isComplete(exchange)) return;
      waiting.delete(id);
      lastTold = id;
      tell(exchange);
    }
    for (const hear of hearers) hear();
    hearers.clear();
  };

  traffic.onChange((exchange) => {
    if (exchange.id <= lastTold) return;
    waiting.set(exchange.id, exchange);
    tellComplete();
  });

  return {
    settled: () =>
      waiting.size === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            hearers.add(resolve);
          }),
  };
}
