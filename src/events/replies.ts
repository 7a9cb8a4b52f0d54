import type { PlatformClient } from '../client/index.js';
import type { TraceCarrier } from '../diagnostics/index.js';
import { createKeyedQueue, HandoffKitError, type KeyedQueue } from '../internal/index.js';
import type { HandlerRun } from './handler-run.js';
import type { BotDirectory } from './identity.js';

/** Options of a reply. */
export interface ReplyOptions {
  /** Cancels the call. It is then unknown whether the user sees the reply. */
  readonly signal?: AbortSignal;
  /**
   * An idempotency key: with stored delivery, a second reply with the same key is not sent, whatever its words, for as
   * long as the delivery remembers keys (`rememberMs`, 7 days). Its receipt is that of the first.
   *
   * Outside a handler, the key counts within the conversation. In a handler it counts within the event: when the
   * handler runs again, because it failed or its process ended, the reply is not sent again. Without a key, a handler
   * that runs again does not send a reply again that has the same words; name a reply whose words may differ, such as
   * a generated answer.
   *
   * @example await reply(await generateAnswer(text), { once: 'answer' });
   */
  readonly once?: string;
  /** The author: an `agent`, the default, or `system` for a program, whose replies do not connect the user to an agent. */
  readonly by?: 'agent' | 'system';
  /** The name of the agent, if known. It is not sent to the platform. */
  readonly agentName?: string | null;
}

/** Options of ending a conversation. */
export interface EndOptions extends ReplyOptions {
  /** The reason, for operators. Never a user's words. */
  readonly why?: string | null;
}

/** The receipt of a reply or an end. */
export interface Receipt {
  /** The conversation. */
  readonly conversationId: string;
  /** `stored`: it will be sent. `delivered`: the platform has it; always so with inline delivery. */
  readonly state: 'stored' | 'delivered';
  /**
   * Waits until the platform has it. Resolves to the platform's answer, or to `null` where another process sent it;
   * rejects when it was refused for good or removed.
   *
   * @example
   * const receipt = await reply('Hello'); // stored
   * await receipt.delivered(); // the platform has it
   */
  delivered(): Promise<unknown>;
}

/** The headers that continue the trace of a reply where it is sent. */
export interface TracedReply {
  readonly trace?: TraceCarrier | undefined;
}

/** Sends or stores replies to handed-over conversations. */
export interface Replies {
  /**
   * Replies to the user of a conversation. With the `run` of the handler that replies, nothing is stored once another
   * process has reclaimed its event: it rejects with the code `CLAIM_LOST`.
   */
  reply(
    conversationId: string,
    text: string,
    options?: ReplyOptions & TracedReply,
    run?: HandlerRun,
  ): Promise<Receipt>;
  /** Ends a handoff as an agent. */
  end(conversationId: string, options?: EndOptions & TracedReply, run?: HandlerRun): Promise<Receipt>;
  /** Resolves when no reply is under way. */
  idle(): Promise<void>;
}

/** Called when a reply or end did not arrive. */
export type ReplyFailed = (conversationId: string, error: unknown) => void;

/** Sends replies directly to the platform, in order per conversation. A receipt means that the platform has it. */
export function createDirectReplies(bots: BotDirectory, onFailed: ReplyFailed): Replies {
  const conversations = createKeyedQueue();

  return {
    reply: (id, text, options) =>
      send(conversations, id, onFailed, () => {
        const { client, conversationId } = platformOf(bots, id);
        return client.reply({ conversationId, text }, options);
      }),
    end: (id, options) =>
      send(conversations, id, onFailed, () => {
        const { client, conversationId } = platformOf(bots, id);
        return client.end({ conversationId }, options);
      }),
    idle: () => conversations.idle(),
  };
}

function send(
  conversations: KeyedQueue,
  conversationId: string,
  onFailed: ReplyFailed,
  task: () => Promise<unknown>,
): Promise<Receipt> {
  const sent = conversations.run(conversationId, async (): Promise<Receipt> => {
    const answer = await task();
    return deliveredReceipt(conversationId, answer);
  });
  // A handler that does not await its reply must not end the process with an unhandled rejection.
  sent.catch((error: unknown) => onFailed(conversationId, error));
  return sent;
}

/** The client of a conversation's platform, and the conversation's id there. */
function platformOf(
  bots: BotDirectory,
  id: string,
): { readonly client: PlatformClient; readonly conversationId: string } {
  const { bot, platformId } = bots.locate(id);
  const client = bots.platformOf(bot);
  if (client) return { client, conversationId: platformId };
  throw new HandoffKitError(
    'PLATFORM_NOT_CONFIGURED',
    'cannot reply or end the conversation: this receiver was not told where the platform is. Pass platform: { baseUrl, apiKey } to createReceiver.',
  );
}

/** A receipt in state `delivered`. */
export const deliveredReceipt = (conversationId: string, answer: unknown): Receipt => ({
  conversationId,
  state: 'delivered',
  delivered: () => Promise.resolve(answer),
});
