import type { ServiceClient } from '../client/index.js';
import { createKeyedQueue, HandoffKitError, type KeyedQueue } from '../internal/index.js';

/** Settings of one reply or close. */
export interface ReplyOptions {
  /** Gives up waiting. Whether the user saw the words is not known then. */
  readonly signal?: AbortSignal;
  /**
   * Makes the reply happen once: where replies are stored, a second one with the same value is not sent. Replies
   * made in a handler have one of their own, so that a handler that is run again does not say a thing twice.
   */
  readonly once?: string;
  /** Whose it is: a human agent's, as by default, or `kit` for what a program says, which connects nobody. */
  readonly by?: 'agent' | 'kit';
  /** The agent's name, where it is known. The service is not told it. */
  readonly agent?: string | null;
}

/** Settings of one close. */
export interface EndOptions extends ReplyOptions {
  /** Why, in words for operators. Never what a user wrote. */
  readonly why?: string | null;
}

/** What a reply or close leaves in the hand. */
export interface Receipt {
  /** The conversation it went to. */
  readonly conversationId: string;
  /** Resolves to the service's answer once the service has it; rejects with what became of it otherwise. */
  readonly delivered: Promise<unknown>;
}

/** Carries words and closes to handed-over conversations. */
export interface Replies {
  /** Says something to the user of a conversation. */
  reply(conversationId: string, text: string, options?: ReplyOptions): Promise<Receipt>;
  /** Ends a handoff from the human side. */
  end(conversationId: string, options?: EndOptions): Promise<Receipt>;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
}

/** Hears of a reply or close that did not arrive. */
export type ReplyFailed = (conversationId: string, error: unknown) => void;

/** Sends straight to the service, in order per conversation; a receipt means that the service has it. */
export function createDirectReplies(client: ServiceClient | null, onFailed: ReplyFailed): Replies {
  const lanes = createKeyedQueue();

  return {
    reply: (conversationId, text, options) =>
      send(lanes, conversationId, onFailed, () => needed(client).reply({ conversationId, text }, options)),
    end: (conversationId, options) =>
      send(lanes, conversationId, onFailed, () => needed(client).end({ conversationId }, options)),
    idle: () => lanes.idle(),
  };
}

function send(
  lanes: KeyedQueue,
  conversationId: string,
  onFailed: ReplyFailed,
  task: () => Promise<unknown>,
): Promise<Receipt> {
  const sent = lanes.run(conversationId, async (): Promise<Receipt> => {
    const answer = await task();
    return { conversationId, delivered: Promise.resolve(answer) };
  });
  // A handler that forgets to await a reply must not take the process down with an unhandled rejection.
  sent.catch((error: unknown) => onFailed(conversationId, error));
  return sent;
}

function needed(client: ServiceClient | null): ServiceClient {
  if (client) return client;
  throw new HandoffKitError(
    'SERVICE_NOT_CONFIGURED',
    'cannot reply or close: this receiver was not told where the service is. Pass service: { baseUrl, apiKey } to createReceiver.',
  );
}
