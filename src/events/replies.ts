import { setTimeout as sleep } from 'node:timers/promises';
import type { PlatformClient } from '../client/index.js';
import type { TraceCarrier } from '../diagnostics/index.js';
import { createKeyedQueue, HandoffKitError } from '../internal/index.js';
import { agentClose, agentReply, PLATFORM_CODES, validate } from '../protocol/index.js';
import type { HandlerRun } from './handler-run.js';
import type { BotDirectory } from './identity.js';
import { deliveredReceipt, type HeldReplies, type Receipt } from './receipts.js';

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
  readonly reason?: string | null;
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
  /** Sends the greeting of a handoff: before the replies that wait for the answer of its request. */
  greet(conversationId: string, text: string, options?: ReplyOptions & TracedReply): Promise<Receipt>;
  /** Ends a handoff as an agent. */
  end(conversationId: string, options?: EndOptions & TracedReply, run?: HandlerRun): Promise<Receipt>;
  /** Resolves when no reply is under way. */
  idle(): Promise<void>;
}

interface DirectRepliesOptions {
  /** Called when a reply or end did not arrive, since the caller may not wait for it. */
  readonly onFailed: (conversationId: string, error: unknown) => void;
  /** Called when a held reply did not arrive: its handler has finished, or does not wait for it. */
  readonly onHeldFailed?: (conversationId: string, error: unknown) => void;
  /** The held replies of a conversation whose handoff request is not answered yet. */
  readonly heldOf?: (conversationId: string) => HeldReplies | undefined;
}

/** Sends replies directly to the platform, in order per conversation. */
export function createDirectReplies(
  bots: BotDirectory,
  { onFailed, onHeldFailed, heldOf }: DirectRepliesOptions,
): Replies {
  const conversations = createKeyedQueue();

  const send = (id: string, text: string | null, options?: ReplyOptions & TracedReply): Promise<Receipt> => {
    const how = callOptions(options);
    const call = async (): Promise<unknown> => {
      const { client, conversationId } = locate(bots, id);
      checkClient(client);
      return text === null
        ? client.end({ conversationId }, how)
        : client.reply({ conversationId, text }, how);
    };
    const held = heldOf?.(id);
    const sendInTurn = (): Promise<Receipt> =>
      conversations.run(id, async () => deliveredReceipt(id, await call()));
    // Once the request is answered, a reply only waits for the greeting.
    if (held?.isAnswered) return reported(id, held.released.then(sendInTurn));
    if (!held) return reported(id, sendInTurn());
    return reported(
      id,
      hold(held, id, text, () => conversations.run(id, () => soonAfterAnswer(call))),
    );
  };

  /** A handler that does not await its reply must not end the process with an unhandled rejection. */
  const reported = (id: string, sent: Promise<Receipt>): Promise<Receipt> => {
    sent.catch((error: unknown) => onFailed(id, error));
    return sent;
  };

  const hold = async (
    held: HeldReplies,
    id: string,
    text: string | null,
    call: () => Promise<unknown>,
  ): Promise<Receipt> => {
    const { client, conversationId } = locate(bots, id);
    checkReply(client, { conversationId, timestamp: Date.now(), text });
    const { receipt, sent } = held.add(id, call);
    sent.catch((error: unknown) => onHeldFailed?.(id, error));
    return receipt;
  };

  return {
    reply: (id, text, options) => send(id, text, options),
    end: (id, options) => send(id, null, options),
    // Not in turn: replies that wait for the answer go out after it.
    greet: async (id, text, options) => {
      const { client, conversationId } = locate(bots, id);
      checkClient(client);
      const answer = await soonAfterAnswer(() =>
        client.reply({ conversationId, text }, callOptions(options)),
      );
      return deliveredReceipt(id, answer);
    },
    idle: () => conversations.idle(),
  };
}

/** The options that concern the call; the others are the receiver's own. */
const callOptions = ({ signal, trace }: ReplyOptions & TracedReply = {}) => ({ signal, trace });

/** The client of a conversation's platform, and the conversation's id there. */
function locate(
  bots: BotDirectory,
  id: string,
): { readonly client: PlatformClient | null; readonly conversationId: string } {
  const { bot, platformId } = bots.locate(id);
  return { client: bots.platformOf(bot), conversationId: platformId };
}

function checkClient(client: PlatformClient | null): asserts client {
  if (client) return;
  throw new HandoffKitError(
    'PLATFORM_NOT_CONFIGURED',
    'cannot reply or end the conversation: this receiver was not told where the platform is. Pass platform: { baseUrl, apiKey } to createReceiver.',
  );
}

/**
 * Throws for a reply, or with `text: null` an end, that the platform would never accept: an error now is better than a
 * failure when it is sent.
 */
export function checkReply(
  client: PlatformClient | null,
  reply: { readonly conversationId: string; readonly timestamp: number; readonly text: string | null },
): void {
  checkClient(client);
  const { conversationId: conversation_id, timestamp, text } = reply;
  if (text === null) validate(agentClose, { conversation_id, timestamp });
  else validate(agentReply, { conversation_id, timestamp, body: text });
}

/** Whether the platform does not know the conversation: it has ended, or its handoff is not noted there yet. */
export const isUnknownConversation = (error: unknown): boolean =>
  error instanceof HandoffKitError &&
  'platformCode' in error &&
  error.platformCode === PLATFORM_CODES.CONVERSATION_NOT_FOUND;

/** Sends to a conversation whose handoff was answered just now: the platform may need a moment to note it. */
async function soonAfterAnswer<Result>(send: () => Promise<Result>): Promise<Result> {
  for (const pauseMs of [100, 300, 1_000, 3_000]) {
    try {
      return await send();
    } catch (error) {
      if (!isUnknownConversation(error)) throw error;
      await sleep(pauseMs, undefined, { ref: false });
    }
  }
  return send();
}
