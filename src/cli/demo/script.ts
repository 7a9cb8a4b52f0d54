import { HandoffKitError } from '../../internal/index.js';
import type { RecordedExchange, Simulator } from '../../simulator/index.js';
import { QUESTION } from './start-demo.js';

/** Something that somebody says. */
export interface Said {
  readonly who: 'Customer' | 'Agent' | 'Human';
  readonly text: string;
}

/** One thing that happens in a conversation. */
export interface Act {
  readonly name: string;
  readonly explanation: string;
  /** The requests that belong to it. */
  readonly shows: readonly `${RecordedExchange['direction']} ${RecordedExchange['what']}`[];
  /** Makes it happen, and gives what is said. */
  readonly act: (simulator: Simulator) => Promise<readonly Said[]>;
}

/** A conversation from its beginning to its end. */
export interface Conversation {
  readonly title: string;
  readonly acts: readonly Act[];
}

const agentMessage: Act = {
  name: 'agent message',
  explanation: 'The agent answers the customer. The receiver hears of it at its message webhook.',
  shows: ['sent message'],
  async act({ customer }) {
    await customer.say(QUESTION);
    const answer = customer.lines().findLast(({ from }) => from === 'agent');
    return [
      { who: 'Customer', text: QUESTION },
      { who: 'Agent', text: answer?.text ?? '' },
    ];
  },
};

const establish: Act = {
  name: 'establish',
  explanation: 'The customer asks for a human. The receiver accepts with 200.',
  shows: ['sent establish'],
  async act({ customer }) {
    await customer.askForHuman({});
    return [];
  },
};

const firstReply: Act = {
  name: 'first reply',
  explanation: 'The receiver replies within the wait timeout, which connects the customer.',
  shows: ['received reply', 'sent message'],
  act: async (simulator) => [await nextReply(simulator)],
};

const chat = (text: string): Act => ({
  name: 'chat',
  explanation: 'The customer writes. It goes to the human now, not to the agent.',
  shows: ['sent chat'],
  async act({ customer }) {
    await customer.say(text);
    return [{ who: 'Customer', text }];
  },
});

const reply: Act = {
  name: 'reply',
  explanation: 'The receiver answers the customer. The message webhook gets a copy, as the contract says.',
  shows: ['received reply', 'sent message'],
  act: async (simulator) => [await nextReply(simulator)],
};

const closeByUser: Act = {
  name: 'close',
  explanation: 'The customer leaves. The receiver is told USER_CLOSED.',
  shows: ['sent close'],
  async act(simulator) {
    await simulator.customer.close();
    return endedBy(simulator, 'user');
  },
};

const closeByHuman: Act = {
  name: 'human close',
  explanation: 'The receiver closes. Until the customer asks again, replies would be refused.',
  shows: ['received close'],
  act: async (simulator) => endedBy(simulator, 'human'),
};

/** What is played, in this order. */
export const SCRIPT: readonly Conversation[] = [
  {
    title: 'First conversation: the customer leaves',
    acts: [agentMessage, establish, firstReply, chat('My parcel is late. Where is it?'), reply, closeByUser],
  },
  {
    title: 'Second conversation: the human closes',
    acts: [establish, firstReply, chat('Bye, and thank you!'), reply, closeByHuman],
  },
];

async function nextReply({ customer, conversation }: Simulator): Promise<Said> {
  const handoff = conversation(customer.view().conversationId ?? '');
  if (!handoff) throw new HandoffKitError('SCRIPT_FAILED', 'the customer could not ask for a human');
  const { text } = await handoff.nextReply();
  return { who: 'Human', text };
}

function endedBy({ customer }: Simulator, expected: 'user' | 'human'): readonly Said[] {
  const { endedBy: by } = customer.view();
  if (by === expected) return [];
  throw new HandoffKitError(
    'SCRIPT_FAILED',
    `expected the ${expected} to end the conversation; it was ended by ${by ?? 'nobody'}`,
  );
}
