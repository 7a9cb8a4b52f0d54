import { findHumanService, type SimulatedBots } from './bots.js';
import type { Clock } from './clock.js';
import type { HandoffConversation } from './conversation.js';
import { type ConversationRegistry, hasEnded } from './conversation-registry.js';
import { createEmitter } from './emitter.js';
import { type BotMessageInput, newId, type TranscriptItem } from './sending/bodies.js';
import type { SentWebhook } from './webhook-sender.js';

const MAX_LINES = 500;
const MAX_TRANSCRIPT_LINES = 50;

export interface ChatLine {
  readonly id: number;
  readonly at: number;
  readonly from: 'user' | 'bot' | 'agent' | 'note';
  readonly text: string;
}

/** Whom the user talks to: the bot, or an agent, by the state of the handoff. */
export type CustomerStatus = 'bot' | HandoffConversation['state'];

export interface CustomerView {
  /** Changes with every new user. */
  readonly customerId: string;
  readonly status: CustomerStatus;
  readonly endedBy: HandoffConversation['endedBy'];
  readonly conversationId: string | null;
}

/** The user of the page's chat window, who talks to the bot, and to an agent after a handoff. */
export interface SimulatedCustomer {
  lines: () => readonly ChatLine[];
  view: () => CustomerView;
  /** Sends a message to the bot or the agent. */
  say: (text: string) => Promise<void>;
  askForHuman: (target: { botId?: string | undefined; componentId?: string | undefined }) => Promise<void>;
  /** Closes the handoff as the user. */
  close: () => Promise<void>;
  /** Starts over with a new user and an empty window. */
  restart: () => Promise<void>;
  onLine: (listener: (line: ChatLine) => void) => () => void;
  onView: (listener: (view: CustomerView) => void) => () => void;
}

export function createCustomer(options: {
  bots: SimulatedBots;
  clock: Clock;
  conversations: ConversationRegistry;
  answerTo: (botId: string, question: string) => string | undefined;
  botMessage: (input: BotMessageInput & { botId?: string }) => Promise<SentWebhook>;
}): SimulatedCustomer {
  const { bots, clock, conversations } = options;
  const lineEmitter = createEmitter<ChatLine>();
  const viewEmitter = createEmitter<CustomerView>();
  let lines: ChatLine[] = [];
  let lastLine = 0;
  let botConversationId = newId('bot');
  let anonymousId = newId('anonymous');
  let handoff: HandoffConversation | null = null;

  const add = (from: ChatLine['from'], text: string) => {
    lastLine += 1;
    const line = { id: lastLine, at: clock.now(), from, text };
    lines = [...lines, line].slice(-MAX_LINES);
    lineEmitter.emit(line);
  };

  const view = (): CustomerView => ({
    customerId: anonymousId,
    status: handoff?.state ?? 'bot',
    endedBy: handoff?.endedBy ?? null,
    conversationId: handoff?.id ?? null,
  });

  const noteFailure = ({ accepted, status, error }: SentWebhook, what: string) => {
    if (!accepted) add('note', `${what} was not accepted: ${error ?? `the receiver answered ${status}`}.`);
  };

  const answerAsBot = async (question: string) => {
    const bot = bots.get();
    const text =
      options.answerTo(bot.id, question) ??
      `I am the bot "${bot.name}", and I only know what was added to my knowledge. A human knows more: ask for one.`;
    add('bot', text);
    if (!bot.message) return;
    const delivery = await options.botMessage({
      botId: bot.id,
      text,
      anonymousId,
      conversationId: botConversationId,
    });
    noteFailure(delivery, "The bot's answer");
  };

  const follow = (conversation: HandoffConversation) => {
    let shownCount = 0;
    let state = conversation.state;
    handoff = conversation;
    viewEmitter.emit(view());
    conversation.onChange(() => {
      if (handoff !== conversation) return;
      for (const reply of conversation.replies.slice(shownCount)) add('agent', reply.text);
      shownCount = conversation.replies.length;
      if (state !== conversation.state) viewEmitter.emit(view());
      state = conversation.state;
    });
  };

  const transcript = (): TranscriptItem[] =>
    lines
      .filter(({ from }) => from !== 'note')
      .slice(-MAX_TRANSCRIPT_LINES)
      .map(({ from, text }) => ({ text, message_type: from === 'user' ? 'QUESTION' : 'ANSWER' }));

  return {
    lines: () => lines,
    view,
    async say(text) {
      const openHandoff = handoff && !hasEnded(handoff) ? handoff : null;
      if (!openHandoff) bots.get();
      add('user', text);
      if (!openHandoff) return answerAsBot(text);
      return noteFailure(await openHandoff.say(text), 'Your message');
    },
    async askForHuman({ botId, componentId }) {
      if (handoff && !hasEnded(handoff)) return;
      const bot = bots.get(botId);
      const component = findHumanService(bot, componentId);
      const conversation = await conversations.request(
        {
          botId: bot.id,
          componentId: component.componentId,
          user: { anonymousId },
          transcript: transcript(),
          botConversationId,
        },
        follow,
      );
      const [establish] = conversation.deliveries;
      if (establish && conversation.state === 'busy') noteFailure(establish, 'Your request');
    },
    async close() {
      if (handoff && !hasEnded(handoff)) noteFailure(await handoff.closeByUser(), 'The close notice');
    },
    async restart() {
      const previousHandoff = handoff;
      handoff = null;
      lines = [];
      botConversationId = newId('bot');
      anonymousId = newId('anonymous');
      viewEmitter.emit(view());
      if (previousHandoff && !hasEnded(previousHandoff)) await previousHandoff.closeByUser();
    },
    onLine: lineEmitter.subscribe,
    onView: viewEmitter.subscribe,
  };
}
