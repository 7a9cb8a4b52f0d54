import { SimulatorError } from './error.js';

/** An agent's reply, as the simulated user sees it. */
export interface SimulatedReply {
  readonly text: string;
  /** The timestamp that the receiver sent. */
  readonly timestamp: number;
  /** When the platform received it, in milliseconds. */
  readonly receivedAt: number;
}

/** Default timeout of {@link ReplyQueue.next}. */
const DEFAULT_TIMEOUT_MS = 5_000;

/** A conversation's replies in order, and the calls that wait for the next reply. */
interface ReplyQueue {
  readonly replies: readonly SimulatedReply[];
  add: (reply: SimulatedReply) => void;
  /** Rejects every waiting call, since no further reply can arrive. */
  end: () => void;
  next: (options?: { timeoutMs?: number }) => Promise<SimulatedReply>;
}

/** Errors quote `describeState`. */
export function createReplyQueue(describeState: () => string): ReplyQueue {
  const replies: SimulatedReply[] = [];
  const waiting = new Set<{ resolve(reply: SimulatedReply): void; reject(reason: string): void }>();
  let returnedCount = 0;
  let hasEnded = false;

  const noReply = (reason: string) =>
    new SimulatorError('NO_REPLY', `no reply arrived: ${reason} (${describeState()})`);

  return {
    replies,
    add(reply) {
      replies.push(reply);
      const [first] = waiting;
      first?.resolve(reply);
    },
    end() {
      hasEnded = true;
      for (const waiter of waiting) waiter.reject('the conversation has ended');
    },
    next({ timeoutMs = DEFAULT_TIMEOUT_MS } = {}) {
      const ready = replies[returnedCount];
      if (ready) {
        returnedCount += 1;
        return Promise.resolve(ready);
      }
      if (hasEnded) return Promise.reject(noReply('the conversation has ended'));
      return new Promise((resolve, reject) => {
        const settle = (act: () => void) => {
          clearTimeout(timer);
          waiting.delete(waiter);
          act();
        };
        const waiter = {
          resolve(reply: SimulatedReply) {
            returnedCount += 1;
            settle(() => resolve(reply));
          },
          reject(reason: string) {
            settle(() => reject(noReply(reason)));
          },
        };
        const timer = setTimeout(() => waiter.reject(`waited ${timeoutMs} ms`), timeoutMs);
        waiting.add(waiter);
      });
    },
  };
}
