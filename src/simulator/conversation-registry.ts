import { SERVICE_CODES } from '../protocol/index.js';
import { findHumanService, type ResolvedAgent, type SimulatedAgents } from './agents.js';
import {
  type ConversationController,
  type ConversationOptions,
  createConversation,
  type HandoffConversation,
} from './conversation.js';
import { createEmitter } from './emitter.js';
import { ServiceFailure, SimulatorError } from './error.js';
import type { SimulatedReply } from './reply-queue.js';
import { newId, type SimulatedUser, type TranscriptItem } from './sending/bodies.js';

/** A user's wish to talk to a human. */
export interface HandoffRequestInput {
  /** Default: the first agent. */
  agentId?: string;
  /** Default: the agent's first component. */
  componentId?: string;
  /** Default: an anonymous user. */
  user?: SimulatedUser;
  /** What was said before. Default: one question. */
  transcript?: readonly TranscriptItem[];
  /** The handoff's id. Default: a new one. */
  conversationId?: string;
  /** The id of the agent conversation it comes from. Default: a new one. */
  agentConversationId?: string;
}

/** A reply that a user was shown. */
interface ShownReply {
  readonly conversation: HandoffConversation;
  readonly reply: SimulatedReply;
}

/** Every handoff of the platform. */
export interface ConversationRegistry {
  /** Asks for a human. `created` hears of the conversation before establish is sent. */
  request: (
    input: HandoffRequestInput,
    created?: (conversation: HandoffConversation) => void,
  ) => Promise<HandoffConversation>;
  /** A human's reply from the developer of `agent`, or the service's refusal. */
  receive: (
    agent: ResolvedAgent,
    reply: { conversation_id: string; timestamp: number; body: string },
  ) => void;
  /** A human's close from the developer of `agent`, or the service's refusal. */
  closeByHuman: (agent: ResolvedAgent, conversationId: string) => void;
  get: (id: string) => HandoffConversation | undefined;
  list: () => readonly HandoffConversation[];
  /** Tells of every reply that a user is shown. */
  onReply: (listener: (shown: ShownReply) => void) => () => void;
  dispose: () => void;
}

const DEFAULT_TRANSCRIPT: readonly TranscriptItem[] = [
  { text: 'I would like to talk to a human.', message_type: 'QUESTION' },
];

/** Makes the register of handoffs; of those that are over it keeps the newest `keep`. */
export function createConversationRegistry(
  options: { agents: SimulatedAgents; keep: number } & Pick<
    ConversationOptions,
    'clock' | 'deliver' | 'deliveryTimeoutMs' | 'waitTimeoutMs' | 'idleTimeoutMs'
  >,
): ConversationRegistry {
  const { agents, keep, ...shared } = options;
  const all = new Map<string, ConversationController>();
  const shown = createEmitter<ShownReply>();

  const makeRoom = () => {
    for (const [id, { handle }] of all) {
      if (all.size <= keep) return;
      if (hasEnded(handle)) all.delete(id);
    }
  };

  const find = (agent: ResolvedAgent, id: string): ConversationController => {
    const conversation = all.get(id);
    if (!conversation) throw notFound();
    if (conversation.handle.agentId === agent.id) return conversation;
    throw new ServiceFailure(
      SERVICE_CODES.CONVERSATION_MISMATCH,
      'Conversation does not match the agent: use the API key of the agent that handed it over',
    );
  };

  return {
    async request(input, created) {
      const agent = agents.get(input.agentId);
      const component = findHumanService(agent, input.componentId);
      const id = input.conversationId ?? newId('handoff');
      const earlier = all.get(id)?.handle;
      if (earlier && !hasEnded(earlier))
        throw new SimulatorError('CONVERSATION_EXISTS', `conversation ${id} is not over; choose another id`);
      const live = createConversation({
        ...shared,
        id,
        agent,
        component,
        agentConversationId: input.agentConversationId ?? newId('agent'),
        user: input.user ?? { anonymousId: newId('anonymous') },
      });
      all.delete(id);
      all.set(id, live);
      makeRoom();
      tellReplies(live.handle, shown.emit);
      created?.(live.handle);
      await live.begin(input.transcript ?? DEFAULT_TRANSCRIPT);
      return live.handle;
    },
    receive(agent, reply) {
      const taken = find(agent, reply.conversation_id).receive(reply.body, reply.timestamp);
      if (!taken) throw notFound();
    },
    closeByHuman(agent, id) {
      if (!find(agent, id).closeByHuman()) throw notFound();
    },
    get: (id) => all.get(id)?.handle,
    list: () => [...all.values()].map(({ handle }) => handle),
    onReply: shown.subscribe,
    dispose() {
      for (const { dispose } of all.values()) dispose();
    },
  };
}

/** Whether nothing more can happen in a conversation. */
export function hasEnded({ state }: HandoffConversation): boolean {
  return state === 'busy' || state === 'closed';
}

function notFound(): ServiceFailure {
  return new ServiceFailure(
    SERVICE_CODES.CONVERSATION_NOT_FOUND,
    'Conversation does not exist or is over: the user must ask for a human again',
  );
}

function tellReplies(conversation: HandoffConversation, tell: (shown: ShownReply) => void): void {
  let told = 0;
  conversation.onChange(({ replies }) => {
    for (const reply of replies.slice(told)) tell({ conversation, reply });
    told = replies.length;
  });
}
