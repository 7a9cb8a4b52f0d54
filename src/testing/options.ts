import type { AuthScheme } from '../receiver/index.js';
import type { SimulatorOptions } from '../simulator/index.js';
import type { RequestListener } from './serve.js';

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
