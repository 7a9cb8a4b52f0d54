import type {
  AgentMessageInput,
  Faults,
  HandoffConversation,
  HandoffRequestInput,
  ManualClock,
  ProbeInput,
  SimulatedReply,
  Simulator,
  WebhookDelivery,
} from '../simulator/index.js';
import type { BenchService, ReceiverAddress, ReceiverFactory } from './options.js';
import type { RequestListener } from './serve.js';

/** Puts what is tested on the bench, where that was not done when the bench was made. */
export interface ConnectReceiver {
  /** A function that makes a receiver to fit the bench. */
  (receiver: ReceiverFactory, address?: ReceiverAddress): Promise<void>;
  /** A finished receiver, an Express app or any request listener, and how to reach it. */
  (receiver: RequestListener, address?: ReceiverAddress): Promise<void>;
}

/** A receiver and a simulated service that know each other, over real HTTP on this machine. */
export interface TestBench {
  readonly connect: ConnectReceiver;
  /**
   * A user asks for a human. Resolves when establish was answered, whatever the answer; what it returns is the
   * current conversation until the next is asked for.
   */
  requestHandoff(input?: HandoffRequestInput): Promise<HandoffConversation>;
  /** The user of the current conversation says something. Resolves to the receiver's answer. */
  say(text: string): Promise<WebhookDelivery>;
  /** The user of the current conversation leaves. Resolves to the receiver's answer. */
  closeByUser(): Promise<WebhookDelivery>;
  /** The first reply to the current conversation that no earlier call returned; waits for it. */
  nextReply(options?: { timeoutMs?: number }): Promise<SimulatedReply>;
  /** An agent answers a user: resolves to what the message webhook said. */
  agentMessage(message?: string | AgentMessageInput): Promise<WebhookDelivery>;
  /** An availability test: of the message webhook, or of the handoff endpoint named. */
  probe(input?: Pick<ProbeInput, 'endpoint'>): Promise<WebhookDelivery>;
  /** Resolves when no delivery is queued or on its way: for what the clock set off. */
  idle(): Promise<void>;
  /** The current conversation: the one that was asked for last. */
  readonly conversation: HandoffConversation;
  /** All replies to the current conversation; none while there is no conversation. */
  readonly replies: readonly SimulatedReply[];
  /** The service's time, which stands still until `advance` is called. */
  readonly clock: ManualClock;
  /** What goes wrong on purpose: `bench.faults.set('duplicate', { on: ['chat'] })`. */
  readonly faults: Faults;
  /** The simulated service, for everything else. */
  readonly simulator: Simulator;
  /** Where the service is, and the key of its agent. */
  readonly service: BenchService;
  /** Where the message webhook is. */
  readonly url: string;
  /** Lets handlers finish, drains the receiver if it can be closed, and ends everything. Twice is once. */
  close(): Promise<void>;
  /** The same, for `await using`. Left out where the runtime does not know the symbol. */
  [Symbol.asyncDispose](): Promise<void>;
}
