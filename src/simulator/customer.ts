import { findHumanService, type SimulatedAgents } from './agents.js';
import type { Clock } from './clock.js';
import type { HandoffConversation } from './conversation.js';
import { type ConversationRegistry, hasEnded } from './conversation-registry.js';
import { createEmitter } from './emitter.js';
import { type AgentMessageInput, newId, type TranscriptItem } from './sending/bodies.js';
import type { WebhookDelivery } from './webhook-sender.js';

/** Lines that the chat window keeps, and lines that go along with a handoff request. */
const LINES_KEPT = 500;
const LINES_HANDED_OVER = 50;

/** One line of the chat window. */
export interface ChatLine {
  readonly id: number;
  readonly at: number;
  readonly from: 'user' | 'agent' | 'human' | 'note';
  readonly text: string;
}

/** With whom the customer talks. */
export type CustomerStatus = 'agent' | HandoffConversation['state'];

/** What the chat window shows. */
export interface CustomerView {
  /** Changes when a new customer begins. */
  readonly customerId: string;
  readonly status: CustomerStatus;
  readonly endedBy: HandoffConversation['endedBy'];
  readonly conversationId: string | null;
}

/** The customer in the chat window of the page: talks with the agent, and with a human when one is asked for. */
export interface SimulatedCustomer {
  lines: () => readonly ChatLine[];
  view: () => CustomerView;
  /** Says something, to whoever is there. */
  say: (text: string) => Promise<void>;
  /** Asks for a human. */
  askForHuman: (target: { agentId?: string | undefined; componentId?: string | undefined }) => Promise<void>;
  /** Leaves the human. */
  close: () => Promise<void>;
  /** A new customer with an empty window. */
  restart: () => Promise<void>;
  onLine: (listener: (line: ChatLine) => void) => () => void;
  onView: (listener: (view: CustomerView) => void) => () => void;
}

/** Makes the customer. */
export function createCustomer(options: {
  agents: SimulatedAgents;
  clock: Clock;
  conversations: ConversationRegistry;
  answerTo: (agentId: string, question: string) => string | undefined;
  agentMessage: (input: AgentMessageInput & { agentId?: string }) => Promise<WebhookDelivery>;
}): SimulatedCustomer {
  const { agents, clock, conversations } = options;
  const told = createEmitter<ChatLine>();
  const viewed = createEmitter<CustomerView>();
  let lines: ChatLine[] = [];
  let lastLine = 0;
  let agentConversationId = newId('agent');
  let anonymousId = newId('anonymous');
  let handoff: HandoffConversation | null = null;

  const add = (from: ChatLine['from'], text: string) => {
    lastLine += 1;
    const line = { id: lastLine, at: clock.now(), from, text };
    lines = [...lines, line].slice(-LINES_KEPT);
    told.emit(line);
  };

  const view = (): CustomerView => ({
    customerId: anonymousId,
    status: handoff?.state ?? 'agent',
    endedBy: handoff?.endedBy ?? null,
    conversationId: handoff?.id ?? null,
  });

  const note = ({ accepted, status, error }: WebhookDelivery, what: string) => {
    if (!accepted) add('note', `${what} was not taken: ${error ?? `the receiver answered ${status}`}.`);
  };

  const answerAsAgent = async (question: string) => {
    const agent = agents.get();
    const text =
      options.answerTo(agent.id, question) ??
      `I am the agent "${agent.name}", and I only know what was added to my knowledge. A human knows more: ask for one.`;
    add('agent', text);
    if (!agent.message) return;
    const delivery = await options.agentMessage({
      agentId: agent.id,
      text,
      anonymousId,
      conversationId: agentConversationId,
    });
    note(delivery, "The agent's answer");
  };

  const follow = (conversation: HandoffConversation) => {
    let shown = 0;
    let state = conversation.state;
    handoff = conversation;
    viewed.emit(view());
    conversation.onChange(() => {
      if (handoff !== conversation) return;
      for (const reply of conversation.replies.slice(shown)) add('human', reply.text);
      shown = conversation.replies.length;
      if (state !== conversation.state) viewed.emit(view());
      state = conversation.state;
    });
  };

  const transcript = (): TranscriptItem[] =>
    lines
      .filter(({ from }) => from !== 'note')
      .slice(-LINES_HANDED_OVER)
      .map(({ from, text }) => ({ text, message_type: from === 'user' ? 'QUESTION' : 'ANSWER' }));

  return {
    lines: () => lines,
    view,
    async say(text) {
      const human = handoff && !hasEnded(handoff) ? handoff : null;
      if (!human) agents.get();
      add('user', text);
      if (!human) return answerAsAgent(text);
      return note(await human.say(text), 'Your message');
    },
    async askForHuman({ agentId, componentId }) {
      if (handoff && !hasEnded(handoff)) return;
      const agent = agents.get(agentId);
      const component = findHumanService(agent, componentId);
      const conversation = await conversations.request(
        {
          agentId: agent.id,
          componentId: component.componentId,
          user: { anonymousId },
          transcript: transcript(),
          agentConversationId,
        },
        follow,
      );
      const [establish] = conversation.deliveries;
      if (establish && conversation.state === 'busy') note(establish, 'Your request');
    },
    async close() {
      if (handoff && !hasEnded(handoff)) note(await handoff.closeByUser(), 'The close notice');
    },
    async restart() {
      const left = handoff;
      handoff = null;
      lines = [];
      agentConversationId = newId('agent');
      anonymousId = newId('anonymous');
      viewed.emit(view());
      if (left && !hasEnded(left)) await left.closeByUser();
    },
    onLine: told.subscribe,
    onView: viewed.subscribe,
  };
}
