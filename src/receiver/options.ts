import type { ServiceClient, ServiceClientOptions } from '../client/index.js';
import type { Delivery } from '../delivery/index.js';
import type { HandoffRequestedContext } from '../events/index.js';
import { configError, type Log } from '../internal/index.js';
import type { HandoffAnswers } from './answer.js';
import type { AuthChoice } from './auth/schemes.js';
import type { EndpointPaths } from './routes.js';

/** The credentials and the platform of one agent. */
export interface AgentOptions {
  /** The credentials of each group of endpoints. There is no default; `false` does not mount a group. */
  readonly auth: {
    /** The message webhook. */
    readonly message: AuthChoice | false;
    /** The handoff endpoints, to which known deployments send no credentials at all. */
    readonly handoff: AuthChoice | false;
  };
  /** The platform's API: its address and the agent's API key, or a client. Without it, `reply` fails. */
  readonly service?: ServiceClient | ServiceClientOptions;
}

/** Settings of `createReceiver` with one agent, which is named `default`. */
export interface ReceiverOptions extends CommonReceiverOptions, AgentOptions {
  readonly agents?: undefined;
}

/** Settings of `createReceiver` with several agents. */
export interface SeveralAgentsOptions extends CommonReceiverOptions {
  readonly auth?: undefined;
  readonly service?: undefined;
  /**
   * The agents, by names of your choice. Requests are told apart by their credentials, or by the agent's name in the path:
   * `/sales/chat`. Agents with `noAuth()` or a function are reachable only there.
   *
   * Handlers get the name as `context.agent`. The ids of conversations begin with it, since two agents may have the same
   * ids: `sales/65d4…`. The agent named `default` keeps the platform's ids, so that an application with one agent can add
   * others: it names its old one `default`.
   *
   * @example
   * createReceiver({
   *   agents: {
   *     sales: { auth: { message: webhookUser(sales), handoff: pathToken(salesToken) }, service: salesService },
   *     support: { auth: { message: webhookUser(support), handoff: pathToken(supportToken) }, service: supportService },
   *   },
   * });
   */
  readonly agents: Readonly<Record<string, AgentOptions>>;
}

/** The settings of a receiver, whether it has one agent or several. */
export interface CommonReceiverOptions {
  /**
   * The receiver's name. Receivers that share a database are kept apart by it: each handles its own events and sends its
   * own replies. Processes that run the same receiver share its name. They also share how long events are remembered:
   * the shortest `rememberMs` counts. Default `default`.
   *
   * @example createReceiver({ name: 'shop', auth, service, delivery: postgres({ connectionString }) });
   */
  readonly name?: string;
  /** Where events are kept until they are handled. Default: `inline()`, handlers run before the answer. */
  readonly delivery?: Delivery;
  /**
   * The first reply of every handoff, sent once the request was answered 200. Without any reply in time, the platform
   * ends the handoff. A function that returns `null` sends nothing.
   */
  readonly greeting?: string | ((context: GreetingContext) => string | null | Promise<string | null>);
  /**
   * The answer to a handoff request if no handler of `handoff.requested` is registered, by `on` or by a bridge.
   *
   * - `refuse`, the default: 503, and the platform tells the user that no human is free.
   * - `accept`: 200. For an application that finds its conversations otherwise, with `receiver.conversations` or in
   *   handlers of `handoff.message`; the user waits until it replies.
   */
  readonly unhandled?: 'refuse' | 'accept';
  /** How long the platform waits for a first reply, as set there. Default 60 seconds. */
  readonly waitTimeoutMs?: number;
  /** The path of the mount, unless Express's `app.use(path, …)` strips it. Default `/`. */
  readonly basePath?: string;
  /** Other paths of single endpoints, below the mount. */
  readonly paths?: Partial<EndpointPaths>;
  /** Availability tests. */
  readonly probes?: {
    /** Whether a probe needs the credentials of its endpoint. Default `required`. */
    readonly auth?: 'required' | 'none';
  };
  /** The answers of the handoff endpoints. */
  readonly answers?: HandoffAnswers;
  /** Limits of reading a request. */
  readonly limits?: {
    /** Default 256 KiB. */
    readonly bodyBytes?: number;
    /** Default 64 levels. */
    readonly depth?: number;
    /** How long the body may take to arrive. Default 10 seconds. */
    readonly readTimeoutMs?: number;
  };
  /** A pino logger, or one like it; `false` for none. Default: warnings and errors to standard output. */
  readonly log?: Log | false;
}

/** The argument of a greeting function. */
export type GreetingContext = Pick<
  HandoffRequestedContext,
  'payload' | 'agent' | 'conversationId' | 'user' | 'transcript'
>;

const OPTION_NAMES: ReadonlySet<string> = new Set<keyof ReceiverOptions>([
  'auth',
  'service',
  'agents',
  'name',
  'delivery',
  'greeting',
  'unhandled',
  'waitTimeoutMs',
  'basePath',
  'paths',
  'probes',
  'answers',
  'limits',
  'log',
]);

/** Throws for unknown options, which are most often misspelt. */
export function checkOptionNames(options: object): void {
  const unknown = Object.keys(options).filter((name) => !OPTION_NAMES.has(name));
  if (unknown.length === 0) return;
  throw configError(
    `createReceiver does not know the option ${unknown.join(', ')}. It knows ${[...OPTION_NAMES].join(', ')}.`,
  );
}

/** What to do about a missing handler of handoff requests, for the log. */
export const ADD_HANDOFF_HANDLER =
  "add receiver.on('handoff.requested', …) or a bridge, or set unhandled: 'accept' to do without.";

/** Whether handoff requests without a handler are accepted. */
export function acceptsUnhandled(unhandled: ReceiverOptions['unhandled'] = 'refuse'): boolean {
  if (unhandled === 'refuse' || unhandled === 'accept') return unhandled === 'accept';
  throw configError("unhandled must be 'refuse' or 'accept'.");
}
