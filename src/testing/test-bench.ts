import { HandoffKitError, type Log } from '../internal/index.js';
import type { AuthScheme } from '../receiver/index.js';
import type {
  BotMessageInput,
  Faults,
  HandoffConversation,
  HandoffRequestInput,
  ManualClock,
  ProbeInput,
  SentWebhook,
  SimulatedReply,
  Simulator,
  SimulatorOptions,
} from '../simulator/index.js';
import type { RequestListener } from './serve.js';

/** A receiver connected to a simulated platform, over real HTTP on this machine. */
export interface TestBench {
  /**
   * Connects the receiver, if `createTestBench` was called without one: for an app that needs the platform's address
   * before it is created.
   *
   * @example
   * const bench = await createTestBench();
   * process.env.PLATFORM_BASE_URL = bench.platform.baseUrl;
   * await bench.connect(app, { path: '/webhook', username: 'acme', secret: 'the-secret', token: 'the-token' });
   */
  readonly connect: ConnectReceiver;
  /**
   * A user asks for a human. Resolves when the receiver has answered establish, whatever the answer. The returned
   * conversation is the current one until the next call.
   *
   * @example
   * const conversation = await bench.requestHandoff({ user: { userId: 'ada' } });
   * expect(conversation.state).toBe('connecting'); // 'busy' if the receiver refused
   */
  requestHandoff(input?: HandoffRequestInput): Promise<HandoffConversation>;
  /**
   * Sends a message as the user in the current conversation. Resolves to the receiver's answer.
   *
   * @example expect(await bench.say('Where is my parcel?')).toMatchObject({ status: 200 });
   */
  say(text: string): Promise<SentWebhook>;
  /**
   * Closes the current conversation as the user. Resolves to the receiver's answer.
   *
   * @example await bench.closeByUser();
   */
  closeByUser(): Promise<SentWebhook>;
  /**
   * Returns the next reply to the current conversation that no earlier call has returned, and waits for it. Fails
   * with an error that lists the requests so far and suggests what to check.
   *
   * @example expect((await bench.nextReply()).text).toBe('It is on its way.');
   */
  nextReply(options?: { timeoutMs?: number }): Promise<SimulatedReply>;
  /**
   * Delivers a bot's answer to the message webhook. Resolves to the receiver's answer.
   *
   * @example await bench.botMessage('Your parcel is on its way.');
   */
  botMessage(message?: string | BotMessageInput): Promise<SentWebhook>;
  /**
   * Sends an availability test (`istest`) to the message webhook, or to the given handoff endpoint.
   *
   * @example expect(await bench.probe({ endpoint: 'chat' })).toMatchObject({ accepted: true });
   */
  probe(input?: Pick<ProbeInput, 'endpoint'>): Promise<SentWebhook>;
  /**
   * Resolves when no delivery is queued or in flight. Use it after `clock.advance`.
   *
   * @example
   * bench.clock.advance(60_000);
   * await bench.idle(); // the receiver has been told about the timeout
   */
  idle(): Promise<void>;
  /** The conversation requested last. Throws if there is none. */
  readonly conversation: HandoffConversation;
  /** All replies to the current conversation; empty without a conversation. */
  readonly replies: readonly SimulatedReply[];
  /**
   * The platform's time. It stands still until a test advances it.
   *
   * @example bench.clock.advance(60_000); // the wait timeout of the handoff passes
   */
  readonly clock: ManualClock;
  /**
   * Faults that the platform injects.
   *
   * @example bench.faults.set('duplicate', { on: ['chat'] });
   */
  readonly faults: Faults;
  /** The simulated platform, for everything else. */
  readonly simulator: Simulator;
  /** The simulated platform's address and its bot's API key. */
  readonly platform: BenchPlatform;
  /** The URL of the message webhook. */
  readonly url: string;
  /** Waits for running handlers, closes the receiver if it has `close`, and stops both servers. Idempotent. */
  close(): Promise<void>;
  /** Like `close`, for `await using`. Missing in runtimes without `Symbol.asyncDispose`. */
  [Symbol.asyncDispose](): Promise<void>;
}

export interface ConnectReceiver {
  /** Connects the receiver that a function creates from the bench's options. */
  (receiver: ReceiverFactory, address?: ReceiverAddress): Promise<void>;
  /** Connects an existing receiver, an Express app or any request listener. */
  (receiver: RequestListener, address?: ReceiverAddress): Promise<void>;
}

/** The simulated platform's address and key, for `createReceiver` and `createPlatformClient`. */
export interface BenchPlatform {
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** Options for a receiver on the bench: spread them into those of `createReceiver`. */
export interface BenchReceiverOptions {
  /** Random credentials: username and secret for messages, a path token for handoffs. */
  readonly auth: { readonly message: AuthScheme; readonly handoff: AuthScheme };
  /** The simulated platform. */
  readonly platform: BenchPlatform;
  /** Keeps its lines in memory: the bench's errors end with the last lines. */
  readonly log: Log;
}

export type ReceiverFactory = (options: BenchReceiverOptions) => RequestListener | Promise<RequestListener>;

/** The receiver's URLs, and the credentials that the platform sends to it. */
export interface ReceiverAddress {
  /** The path of the message webhook. Default: `/`. */
  readonly path?: string | undefined;
  /** Sent to the message webhook as `Bearer <username>`; together with a `secret` as HTTP Basic. */
  readonly username?: string | undefined;
  /** See `username`. */
  readonly secret?: string | undefined;
  /** The path segment below `path` that contains the handoff endpoints. */
  readonly token?: string | undefined;
  /** Different settings for the handoff endpoints. By default they get no credentials. */
  readonly handoff?:
    | {
        /** The base path of the handoff endpoints. Default: `path` with `token`. */
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
  /** How long `nextReply` waits, in real time. Default: 2 s, below the timeout of test frameworks. */
  readonly replyTimeoutMs?: number | undefined;
  /** How long `close` waits for running handlers, in real time. Default: 1 s. */
  readonly drainMs?: number | undefined;
  /**
   * Settings of the simulator, such as `waitTimeoutMs` and `idleTimeoutMs`. `deliveryTimeoutMs` is 2.5 s by
   * default.
   */
  readonly simulator?: Omit<SimulatorOptions, 'bots' | 'clock'> | undefined;
}

/** The `code` of a {@link TestBenchError}. */
export type TestBenchErrorCode =
  /** The receiver cannot take requests, or its address is invalid. */
  | 'INVALID_RECEIVER'
  /** The bench has no receiver yet. */
  | 'NOT_CONNECTED'
  /** The bench already has a receiver. */
  | 'ALREADY_CONNECTED'
  /** No handoff has been requested yet. */
  | 'NO_CONVERSATION'
  /** The conversation has ended or never started. */
  | 'CONVERSATION_OVER'
  /** The expected reply did not arrive. */
  | 'NO_REPLY'
  /** The bench was closed. */
  | 'BENCH_CLOSED';

/** Thrown by the test bench. The message lists the requests so far and suggests what to check. */
export class TestBenchError extends HandoffKitError {
  declare readonly code: TestBenchErrorCode;
}
