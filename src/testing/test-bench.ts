import { HandoffKitError } from '../internal/index.js';
import type { AuthScheme } from '../receiver/index.js';
import type {
  AgentMessageInput,
  Faults,
  HandoffConversation,
  HandoffRequestInput,
  ManualClock,
  ProbeInput,
  SimulatedReply,
  Simulator,
  SimulatorOptions,
  WebhookDelivery,
} from '../simulator/index.js';
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

/** Where the service is, as a receiver and a service client take it. */
export interface BenchService {
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** What a receiver needs to fit the bench: spread it into the options of `createReceiver`. */
export interface BenchReceiverOptions {
  /** The webhook's username and secret, and a path token, made up for this bench. */
  readonly auth: { readonly message: AuthScheme; readonly handoff: AuthScheme };
  /** The simulated service. */
  readonly service: BenchService;
}

/** Makes what is to be tested, once the bench knows where the service is. */
export type ReceiverFactory = (options: BenchReceiverOptions) => RequestListener | Promise<RequestListener>;

/** How the service reaches what is tested, and with what it shows who it is. */
export interface ReceiverAddress {
  /** The path of the message webhook. Default `/`. */
  readonly path?: string | undefined;
  /** Sent to the message webhook as `Bearer <username>`, or with a secret as Basic. */
  readonly username?: string | undefined;
  /** See `username`. */
  readonly secret?: string | undefined;
  /** The path segment below `path` where the handoff endpoints are. */
  readonly token?: string | undefined;
  /** Where the handoff endpoints differ from the above. By default they are sent no credentials. */
  readonly handoff?:
    | {
        /** The path above `/chat` and the others. Default: `path` with `token`. */
        readonly path?: string | undefined;
        readonly username?: string | undefined;
        readonly secret?: string | undefined;
        readonly headers?: Readonly<Record<string, string>> | undefined;
      }
    | undefined;
  /** `false`: there is no message webhook, only handoff endpoints. */
  readonly message?: false | undefined;
}

/** Settings of the bench itself. */
export interface TestBenchOptions {
  /** How long `nextReply` waits, in real time. Default 2 s: less than the patience of test frameworks. */
  readonly replyTimeoutMs?: number | undefined;
  /** How long `close` lets handlers finish, in real time. Default 1 s. */
  readonly drainMs?: number | undefined;
  /**
   * Settings of the simulator, such as `waitTimeoutMs` and `idleTimeoutMs`. A receiver has 2.5 s for an answer
   * unless `deliveryTimeoutMs` says otherwise.
   */
  readonly simulator?: Omit<SimulatorOptions, 'agents' | 'clock'> | undefined;
}

/** What can go wrong in the hands of whoever writes a test. */
export type TestBenchErrorCode =
  /** What was given as a receiver cannot take requests, or its address cannot be one. */
  | 'INVALID_RECEIVER'
  /** The bench has no receiver yet. */
  | 'NOT_CONNECTED'
  /** The bench has a receiver already. */
  | 'ALREADY_CONNECTED'
  /** No user has asked for a human yet. */
  | 'NO_CONVERSATION'
  /** The conversation has ended, or never began. */
  | 'CONVERSATION_OVER'
  /** The reply that the test waits for did not come. */
  | 'NO_REPLY'
  /** The bench was closed. */
  | 'BENCH_CLOSED';

/** A test's wish that the bench cannot fulfil. The message shows what passed between receiver and service. */
export class TestBenchError extends HandoffKitError {
  declare readonly code: TestBenchErrorCode;
}
