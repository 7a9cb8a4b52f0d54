import { findHumanService, type ResolvedBot, type SimulatedBots } from './bots.js';
import {
  type ConversationController,
  type ConversationOptions,
  createConversation,
  type HandoffConversation,
} from './conversation.js';
import { createEmitter } from './emitter.js';
import { PlatformFailure, SimulatorError } from './error.js';
import type { SimulatedReply } from './reply-queue.js';
import { newId, type SimulatedUser, type TranscriptItem } from './sending/bodies.js';
import { FAILURE_CODES } from './specification.js';

/** Settings of a handoff request. Everything has a default. */
export interface HandoffRequestInput {
  /** Default: the first bot. */
  botId?: string;
  /** Default: the bot's first human-service component. */
  componentId?: string;
  /** Default: an anonymous user. */
  user?: SimulatedUser;
  /** The conversation with the bot so far. Default: one question. */
  transcript?: readonly TranscriptItem[];
  /** The handoff's id. Default: a new id. */
  conversationId?: string;
  /** The id of the original bot conversation. Default: a new id. */
  botConversationId?: string;
}

/** A reply that the user has received. */
interface ReceivedReply {
  readonly conversation: HandoffConversation;
  readonly reply: SimulatedReply;
}

/** All handoffs of the simulated platform. */
export interface ConversationRegistry {
  /** Requests a handoff. `onCreated` is called before establish is sent. */
  request: (
    input: HandoffRequestInput,
    onCreated?: (conversation: HandoffConversation) => void,
  ) => Promise<HandoffConversation>;
  /** Accepts a reply sent with the key of `bot`, or throws the platform's refusal. */
  receive: (bot: ResolvedBot, reply: { conversationId: string; timestamp: number; text: string }) => void;
  /** Accepts a close sent with the key of `bot`, or throws the platform's refusal. */
  closeByAgent: (bot: ResolvedBot, conversationId: string) => void;
  get: (id: string) => HandoffConversation | undefined;
  list: () => readonly HandoffConversation[];
  /** Calls the listener for every reply that a user receives. */
  onReply: (listener: (received: ReceivedReply) => void) => () => void;
  dispose: () => void;
}

const DEFAULT_TRANSCRIPT: readonly TranscriptItem[] = [
  { text: 'I would like to talk to a human.', message_type: 'QUESTION' },
];

/** Beyond `keep` conversations, the oldest ended conversations are dropped. */
export function createConversationRegistry(
  options: { bots: SimulatedBots; keep: number } & Pick<
    ConversationOptions,
    'clock' | 'deliver' | 'deliveryTimeoutMs' | 'waitTimeoutMs' | 'idleTimeoutMs' | 'earlyReplies'
  >,
): ConversationRegistry {
  const { bots, keep, ...shared } = options;
  const all = new Map<string, ConversationController>();
  const received = createEmitter<ReceivedReply>();

  const dropEnded = () => {
    for (const [id, { handle }] of all) {
      if (all.size <= keep) return;
      if (hasEnded(handle)) all.delete(id);
    }
  };

  const find = (bot: ResolvedBot, id: string): ConversationController => {
    const conversation = all.get(id);
    if (!conversation) throw notFound();
    if (conversation.handle.botId === bot.id) return conversation;
    throw new PlatformFailure(
      FAILURE_CODES.conversationMismatch,
      'Conversation does not match the bot: use the API key of the bot that handed it over',
    );
  };

  return {
    async request(input, onCreated) {
      const bot = bots.get(input.botId);
      const component = findHumanService(bot, input.componentId);
      const id = input.conversationId ?? newId('handoff');
      const earlier = all.get(id)?.handle;
      if (earlier && !hasEnded(earlier))
        throw new SimulatorError(
          'CONVERSATION_EXISTS',
          `conversation ${id} is still open; choose another id`,
        );
      const created = createConversation({
        ...shared,
        id,
        bot,
        component,
        botConversationId: input.botConversationId ?? newId('bot'),
        user: input.user ?? { anonymousId: newId('anonymous') },
      });
      all.delete(id);
      all.set(id, created);
      dropEnded();
      forwardReplies(created.handle, received.emit);
      onCreated?.(created.handle);
      await created.begin(input.transcript ?? DEFAULT_TRANSCRIPT);
      return created.handle;
    },
    receive(bot, reply) {
      const isAccepted = find(bot, reply.conversationId).receive(reply.text, reply.timestamp);
      if (!isAccepted) throw notFound();
    },
    closeByAgent(bot, id) {
      if (!find(bot, id).closeByAgent()) throw notFound();
    },
    get: (id) => all.get(id)?.handle,
    list: () => [...all.values()].map(({ handle }) => handle),
    onReply: received.subscribe,
    dispose() {
      for (const { dispose } of all.values()) dispose();
    },
  };
}

/** True if it has ended or never started. */
export function hasEnded({ state }: HandoffConversation): boolean {
  return state === 'busy' || state === 'closed';
}

function notFound(): PlatformFailure {
  return new PlatformFailure(
    FAILURE_CODES.conversationNotFound,
    'Conversation does not exist or has ended: the user must ask for a human again',
  );
}

function forwardReplies(conversation: HandoffConversation, emit: (received: ReceivedReply) => void): void {
  let forwardedCount = 0;
  conversation.onChange(({ replies }) => {
    for (const reply of replies.slice(forwardedCount)) emit({ conversation, reply });
    forwardedCount = replies.length;
  });
}
