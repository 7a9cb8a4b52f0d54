import { HandoffKitError } from '../../internal/index.js';
import type { RecordedExchange } from '../../simulator/index.js';
import type { Demo } from './server.js';
import { TOUR } from './tour.js';

/** A line of the conversation. */
export interface SpokenLine {
  readonly who: 'Customer' | 'Bot' | 'Agent';
  readonly text: string;
}

/** One step of a conversation. */
export interface ScriptStep {
  readonly name: string;
  readonly explanation: string;
  /** The requests that the step causes, each exactly once. */
  readonly expects: readonly ExchangeKind[];
  /** Runs the step. Resolves to the lines that were spoken. */
  readonly run: (demo: DemoStage) => Promise<readonly SpokenLine[]>;
}

/** A whole conversation. */
export interface ScriptedConversation {
  readonly title: string;
  readonly steps: readonly ScriptStep[];
}

/** Direction and kind of a request, such as `sent chat`. */
export type ExchangeKind = `${RecordedExchange['direction']} ${RecordedExchange['what']}`;

/** The parts of the demo that the script uses. */
export type DemoStage = Pick<Demo, 'simulator' | 'sampleQuestion'>;

const botMessage: ScriptStep = {
  name: 'bot message',
  explanation: 'The bot answers the customer. The message webhook gets a copy.',
  expects: ['sent message'],
  async run({ simulator: { customer }, sampleQuestion }) {
    await customer.say(sampleQuestion);
    const answer = customer.lines().findLast(({ from }) => from === 'bot');
    return [
      { who: 'Customer', text: sampleQuestion },
      { who: 'Bot', text: answer?.text ?? '' },
    ];
  },
};

const establish: ScriptStep = {
  name: 'establish',
  explanation: 'The customer asks for a human. The receiver accepts with 200.',
  expects: ['sent establish'],
  async run({ simulator: { customer } }) {
    await customer.askForHuman({});
    return [];
  },
};

const firstReply: ScriptStep = {
  name: 'first reply',
  explanation: 'The receiver replies within the wait timeout, which connects the customer.',
  expects: ['received reply', 'sent message'],
  run: async ({ simulator }) => [await nextReply(simulator)],
};

const chat = (text: string): ScriptStep => ({
  name: 'chat',
  explanation: 'The customer writes. The message goes to the agent now, not to the bot.',
  expects: ['sent chat'],
  async run({ simulator: { customer } }) {
    await customer.say(text);
    return [{ who: 'Customer', text }];
  },
});

const reply: ScriptStep = {
  name: 'reply',
  explanation: 'The receiver answers the customer. The message webhook gets a copy, as the contract says.',
  expects: ['received reply', 'sent message'],
  run: async ({ simulator }) => [await nextReply(simulator)],
};

const closeByUser: ScriptStep = {
  name: 'close',
  explanation: 'The customer leaves. The receiver gets USER_CLOSED.',
  expects: ['sent close'],
  async run({ simulator }) {
    await simulator.customer.close();
    return checkEndedBy(simulator, 'user');
  },
};

const closeByAgent: ScriptStep = {
  name: 'agent close',
  explanation: 'The receiver closes. The platform refuses replies until the customer asks again.',
  expects: ['received close'],
  run: async ({ simulator }) => checkEndedBy(simulator, 'agent'),
};

/** The script, in the order of the play. */
export const SCRIPT: readonly ScriptedConversation[] = [
  {
    title: 'First conversation: the customer leaves',
    steps: [botMessage, establish, firstReply, chat(TOUR.complaint), reply, closeByUser],
  },
  {
    title: 'Second conversation: the agent closes',
    steps: [establish, firstReply, chat('Bye, and thank you!'), reply, closeByAgent],
  },
];

async function nextReply({ customer, conversation }: Demo['simulator']): Promise<SpokenLine> {
  const handoff = conversation(customer.view().conversationId ?? '');
  if (!handoff) throw new HandoffKitError('SCRIPT_FAILED', 'the customer could not ask for a human');
  const { text } = await handoff.nextReply();
  return { who: 'Agent', text };
}

/** The end of a conversation has no lines, so the result is empty. */
function checkEndedBy({ customer }: Demo['simulator'], expected: 'user' | 'agent'): readonly SpokenLine[] {
  const { endedBy } = customer.view();
  if (endedBy === expected) return [];
  throw new HandoffKitError(
    'SCRIPT_FAILED',
    endedBy === null
      ? `expected the ${expected} to end the conversation, which is still open`
      : `expected the ${expected} to end the conversation; it was ended by ${endedBy}`,
  );
}
