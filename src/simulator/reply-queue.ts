import { SimulatorError } from './error.js';

/** What a human said to the user. */
export interface SimulatedReply {
  readonly text: string;
  /** As the developer sent it. */
  readonly timestamp: number;
  /** When the service got it, in milliseconds. */
  readonly receivedAt: number;
}

/** How long {@link ReplyQueue.next} waits unless told otherwise. */
const PATIENCE_MS = 5_000;

/** Replies in order, and those who wait for the next one. */
export interface ReplyQueue {
  readonly replies: readonly SimulatedReply[];
  add: (reply: SimulatedReply) => void;
  /** No further reply can come: whoever waits is told. */
  end: () => void;
  next: (options?: { timeoutMs?: number }) => Promise<SimulatedReply>;
}

/** Makes an empty box. `where` says in an error what the conversation is doing. */
export function createReplyQueue(where: () => string): ReplyQueue {
  const replies: SimulatedReply[] = [];
  const waiting = new Set<{ take(reply: SimulatedReply): void; giveUp(reason: string): void }>();
  let taken = 0;
  let ended = false;

  const noReply = (reason: string) => new SimulatorError('NO_REPLY', `no reply came: ${reason} (${where()})`);

  return {
    replies,
    add(reply) {
      replies.push(reply);
      const [first] = waiting;
      first?.take(reply);
    },
    end() {
      ended = true;
      for (const waiter of waiting) waiter.giveUp('the conversation is over');
    },
    next({ timeoutMs = PATIENCE_MS } = {}) {
      const ready = replies[taken];
      if (ready) {
        taken += 1;
        return Promise.resolve(ready);
      }
      if (ended) return Promise.reject(noReply('the conversation is over'));
      return new Promise((resolve, reject) => {
        const settle = (act: () => void) => {
          clearTimeout(timer);
          waiting.delete(waiter);
          act();
        };
        const waiter = {
          take(reply: SimulatedReply) {
            taken += 1;
            settle(() => resolve(reply));
          },
          giveUp(reason: string) {
            settle(() => reject(noReply(reason)));
          },
        };
        const timer = setTimeout(() => waiter.giveUp(`waited ${timeoutMs} ms`), timeoutMs);
        waiting.add(waiter);
      });
    },
  };
}
