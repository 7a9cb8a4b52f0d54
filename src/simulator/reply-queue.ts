import { SimulatorError } from './error.js';

/** A reply of an agent, as the simulated user sees it. */
export interface SimulatedReply {
  readonly text: string;
  /** The timestamp that the receiver sent. */
  readonly timestamp: number;
  /** When the platform received it, in milliseconds. */
  readonly receivedAt: number;
}

/** Default timeout of {@link ReplyQueue.next}. */
const DEFAULT_TIMEOUT_MS = 5_000;

/** The replies of a conversation in order, and the calls that wait for the next one. */
interface ReplyQueue {
  readonly replies: readonly SimulatedReply[];
  add: (reply: SimulatedReply) => void;
  /** Rejects every waiting call: no further reply can come. */
  end: () => void;
  next: (options?: { timeoutMs?: number }) => Promise<SimulatedReply>;
}

/** Creates an empty queue. `describeState` is quoted in errors. */
export function createReplyQueue(describeState: () => string): ReplyQueue {
  const replies: SimulatedReply[] = [];
  const waiting = new Set<{ resolve(reply: SimulatedReply): void; reject(reason: string): void }>();
  let returned = 0;
  let ended = false;

  const noReply = (reason: string) =>
    new SimulatorError('NO_REPLY', `no reply came: ${reason} (${describeState()})`);

  return {
    replies,
    add(reply) {
      replies.push(reply);
      const [first] = waiting;
      first?.resolve(reply);
    },
    end() {
      ended = true;
      for (const waiter of waiting) waiter.reject('the conversation has ended');
    },
    next({ timeoutMs = DEFAULT_TIMEOUT_MS } = {}) {
      const ready = replies[returned];
      if (ready) {
        returned += 1;
        return Promise.resolve(ready);
      }
      if (ended) return Promise.reject(noReply('the conversation has ended'));
      return new Promise((resolve, reject) => {
        const settle = (act: () => void) => {
          clearTimeout(timer);
          waiting.delete(waiter);
          act();
        };
        const waiter = {
          resolve(reply: SimulatedReply) {
            returned += 1;
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
